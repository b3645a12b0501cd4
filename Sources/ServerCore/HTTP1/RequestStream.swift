import HTTPCore
import HTTPTypes

/// The position in a connection's input: in a request's head, in its content, or behind the last request.
struct RequestStream {
    /// What of the received bytes has been passed.
    struct Passed {
        /// The number of received bytes.
        var byteCount = 0
        /// The number of them that are content.
        var contentByteCount = 0
        /// The trailer fields, if the content has ended.
        var trailers: HTTPFields?
    }

    private enum Place {
        case head
        case content(RequestContentScanner)
        /// Bytes of another protocol.
        case tunnel
        /// Bytes that nothing is known of.
        case nothing
    }

    private var place = Place.head

    /// Whether the next byte belongs to a head.
    var isAtHead: Bool { if case .head = place { true } else { false } }

    /// Whether the next byte belongs to another protocol.
    var isTunnel: Bool { if case .tunnel = place { true } else { false } }

    /// How many bytes of content are still to come; nil when that isn't known.
    var remainingByteCount: Int? {
        switch place {
        case .head: 0
        case .content(let scanner): scanner.remainingByteCount
        case .tunnel, .nothing: nil
        }
    }

    /// Moves past a head.
    mutating func pass(_ head: RequestHead, limits: RequestHeadLimits) {
        place = RequestContentScanner(head.framing, limits: limits).map(Place.content) ?? .head
    }

    /// Another protocol follows.
    mutating func becomeTunnel() { place = .tunnel }

    /// No further request is looked for.
    mutating func end() { place = .nothing }

    /// Moves past content.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of content bytes to pass; at least 1.
    ///   - take: Called with the content.
    mutating func passContent(
        _ bytes: UnsafeRawBufferPointer,
        atMost limit: Int,
        _ take: (UnsafeRawBufferPointer) -> Void
    ) throws(MalformedRequest) -> Passed {
        switch place {
        case .head: return Passed()
        case .nothing: return Passed(byteCount: bytes.count)
        case .tunnel:
            let count = min(limit, bytes.count)
            take(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            return Passed(byteCount: count, contentByteCount: count)
        case .content(var scanner):
            let passed = try Self.pass(bytes, atMost: limit, &scanner, take)
            place = passed.trailers == nil ? .content(scanner) : .head
            return passed
        }
    }

    private static func pass(
        _ bytes: UnsafeRawBufferPointer,
        atMost limit: Int,
        _ scanner: inout RequestContentScanner,
        _ take: (UnsafeRawBufferPointer) -> Void
    ) throws(MalformedRequest) -> Passed {
        var passed = Passed()
        while passed.contentByteCount < limit {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[passed.byteCount...])
            switch try scanner.scan(rest, atMost: limit - passed.contentByteCount) {
            case .content(let range):
                take(UnsafeRawBufferPointer(rebasing: rest[range]))
                passed.contentByteCount += range.count
                passed.byteCount += range.upperBound
                // The end of content of known length needs no further byte.
                guard scanner.remainingByteCount == 0 else { continue }
                passed.trailers = [:]
                return passed
            case .incomplete(let count):
                passed.byteCount += count
                return passed
            case .end(let count):
                passed.byteCount += count
                passed.trailers = scanner.trailers
                return passed
            }
        }
        return passed
    }
}

extension HTTPRequest {
    /// A request with all its fields, as it was sent: in origin-form the target is `path`, the `Host` is `authority`,
    /// and `scheme` is nil; in absolute-form the target's own scheme and host count (RFC 9112 §3.2.2).
    ///
    /// - Parameter bytes: The bytes that `head` was scanned from.
    /// - Throws: ``/HTTPCore/MalformedRequest`` when the `Host` isn't valid, the target has none of the four
    ///   forms, or the method isn't a token.
    init(_ head: RequestHead, in bytes: UnsafeRawBufferPointer) throws(MalformedRequest) {
        func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        let host = head.host.map(text)
        guard host.map(HostField.isValid) ?? true else { throw .host }
        guard let method = Method(text(head.methodToken)) else { throw .syntax }
        var fields = HTTPFields()
        head.forEachField(in: bytes) { name, value in
            // As it is: a value need not be UTF-8 (RFC 9110 §5.5).
            if let name = HTTPField.Name(text(name)) {
                fields.append(HTTPField(name: name, lenientValue: bytes[value]))
            }
        }
        // It becomes the authority.
        fields[.host] = nil
        let (path, authority) = (text(head.target), host.flatMap { $0.isEmpty ? nil : $0 })
        // Neither `*` (RFC 9112 §3.2.4) nor CONNECT's host and port (§3.2.3) is a URL.
        if path.hasPrefix("/") || path == "*" || method == .connect {
            self.init(method: method, scheme: nil, authority: authority, path: path, headerFields: fields)
        } else if let target = RequestTarget(url: path) {
            self.init(
                method: method,
                scheme: target.scheme,
                authority: target.authority,
                path: target.path + target.query,
                headerFields: fields
            )
        } else {
            throw .target
        }
    }
}

extension HTTPField.Name {
    /// `Host` (RFC 9110 §7.2), for which HTTPTypes has `authority`.
    fileprivate static let host = HTTPField.Name("Host")!
}
