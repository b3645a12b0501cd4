import HTTPTypes

/// A request that is the same whatever carries it. Its texts, but its content, are sent in Latin-1, so that they can be any
/// bytes.
package struct ConformanceRequest: Sendable {
    package var method: String
    /// The path with its query, as it is sent.
    package var target: String
    /// Nil for none.
    package var host: String? = "localhost"
    package var fields: [(name: String, value: String)]
    /// The content of the request; nil for none.
    package var content: String?
    /// Whether the content is sent in pieces, without its length.
    package var isStreamed: Bool
    /// Whether a page is being opened.
    package let isPage: Bool

    /// Makes a request to localhost.
    package init(
        _ method: String = "GET",
        _ target: String,
        _ fields: [(String, String)] = [],
        content: String? = nil,
        isStreamed: Bool = false,
        isPage: Bool = false
    ) {
        (self.method, self.target) = (method, target)
        self.fields = fields.map { (name: $0.0, value: $0.1) }
        (self.content, self.isStreamed, self.isPage) = (content, isStreamed, isPage)
    }

    /// The fields, and those that a browser sends for a page.
    package var allFields: [(name: String, value: String)] {
        isPage ? fields + [("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document")] : fields
    }

    /// The value of the only field with this name, as it is sent; nil for none.
    package func bytes(of name: String) -> [UInt8]? { fields.first { $0.name == name }.map { Self.bytes($0.value) } }

    package static func bytes(_ text: String) -> [UInt8] {
        text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }
}

// MARK: - As it is carried

extension ConformanceRequest {
    /// As HTTP/1.1 has it (RFC 9112 §3).
    package var message: [UInt8] { framedPieces.reduce(head, +) }

    /// The head of ``message``.
    package var head: [UInt8] {
        var lines = ["\(method) \(target) HTTP/1.1"] + (host.map { ["Host: \($0)"] } ?? [])
        lines += allFields.map { "\($0.name): \($0.value)" }
        if let content {
            lines.append(isStreamed ? "Transfer-Encoding: chunked" : "Content-Length: \(content.utf8.count)")
        }
        return Self.bytes(lines.joined(separator: "\r\n") + "\r\n\r\n")
    }

    /// The content, in chunks (RFC 9112 §7.1) when it is streamed.
    package var framedPieces: [[UInt8]] {
        guard isStreamed, let pieces else { return pieces ?? [] }
        let chunks = pieces.map { Array("\(String($0.count, radix: 16))\r\n".utf8) + $0 + [13, 10] }
        return chunks + [Array("0\r\n\r\n".utf8)]
    }

    /// The content as it is sent; nil for none.
    package var pieces: [[UInt8]]? {
        guard let bytes = content.map({ Array($0.utf8) }) else { return nil }
        guard isStreamed else { return [bytes] }
        return stride(from: 0, to: bytes.count, by: 10_000).map { Array(bytes[$0...].prefix(10_000)) }
    }

    /// As HTTP/2 has it (RFC 9113 §8.3.1).
    package var fieldList: [(name: [UInt8], value: [UInt8])] {
        let pseudoFields = [(":method", method), (":scheme", "https"), (":path", target)]
        let all = pseudoFields + (host.map { [(":authority", $0)] } ?? [])
        return (all + allFields.map { ($0.name.lowercased(), $0.value) }).map { (Self.bytes($0.0), Self.bytes($0.1)) }
    }

    /// As a responder and a client take it; nil when its method or a field's name is none.
    package func request(scheme: String? = nil) -> HTTPRequest? {
        guard let method = HTTPRequest.Method(method) else { return nil }
        var request = HTTPRequest(method: method, scheme: scheme, authority: host, path: target)
        for field in allFields {
            guard let name = HTTPField.Name(field.name) else { return nil }
            let value = String(decoding: Self.bytes(field.value), as: UTF8.self)
            request.headerFields.append(HTTPField(name: name, value: value))
        }
        return request
    }
}
