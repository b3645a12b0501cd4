import HTTPTypes

/// A request that is the same whatever carries it. Its texts are sent in Latin-1, so that they can be any bytes.
struct ConformanceRequest: Sendable {
    var method = "GET"
    var target: String
    /// Nil for none.
    var host: String? = "localhost"
    var fields: [(name: String, value: String)] = []
    /// The content of the request; nil for none.
    var content: String?

    /// As HTTP/1.1 has it (RFC 9112 §3).
    var message: [UInt8] {
        var lines = ["\(method) \(target) HTTP/1.1"] + (host.map { ["Host: \($0)"] } ?? [])
        lines += fields.map { "\($0.name): \($0.value)" }
        if let content, !isChunked { lines.append("Content-Length: \(content.utf8.count)") }
        return Self.bytes(lines.joined(separator: "\r\n") + "\r\n\r\n" + framedContent)
    }

    /// As HTTP/2 has it (RFC 9113 §8.3.1).
    var fieldList: [(name: [UInt8], value: [UInt8])] {
        let pseudoFields = [(":method", method), (":scheme", "https"), (":path", target)]
        let all = pseudoFields + (host.map { [(":authority", $0)] } ?? [])
        return (all + fields.map { ($0.name.lowercased(), $0.value) }).map { (Self.bytes($0.0), Self.bytes($0.1)) }
    }

    /// As a responder takes it, when no driver is in between.
    var request: HTTPRequest? {
        guard let method = HTTPRequest.Method(method) else { return nil }
        var request = HTTPRequest(method: method, scheme: nil, authority: host, path: target)
        for field in fields {
            guard let name = HTTPField.Name(field.name) else { return nil }
            let value = String(decoding: Self.bytes(field.value), as: UTF8.self)
            request.headerFields.append(HTTPField(name: name, value: value))
        }
        return request
    }

    /// The value of the only field with this name, as it is sent; nil for none.
    func bytes(of name: String) -> [UInt8]? { fields.first { $0.name == name }.map { Self.bytes($0.value) } }

    static func bytes(_ text: String) -> [UInt8] {
        text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }

    private var isChunked: Bool { fields.contains { $0.name == "Transfer-Encoding" } }

    /// RFC 9112 §7.1.
    private var framedContent: String {
        guard let content else { return "" }
        return isChunked ? "\(String(content.utf8.count, radix: 16))\r\n\(content)\r\n0\r\n\r\n" : content
    }
}
