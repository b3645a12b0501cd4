/// An HTTP/2 frame (RFC 9113 §4.1), well-formed or not: nothing here validates what a test sends.
package struct HTTP2Frame: Sendable, Hashable {
    /// The kind of a frame (RFC 9113 §6).
    package enum Kind: UInt8, Sendable {
        case data, headers, priority, resetStream, settings, pushPromise, ping, goAway, windowUpdate, continuation
    }

    /// END_STREAM, and ACK in SETTINGS and PING.
    package static let endStream: UInt8 = 1
    /// END_HEADERS.
    package static let endHeaders: UInt8 = 4

    /// The bytes that a client sends before the first frame (§3.4).
    package static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    /// The kind, as a raw number because there are more than in ``Kind``.
    package let kind: UInt8
    /// The flags.
    package let flags: UInt8
    /// The stream; 0 is the connection.
    package let stream: UInt32
    /// The bytes after the nine of its head.
    package let payload: [UInt8]

    /// Makes any frame.
    package init(_ kind: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []) {
        self.kind = kind
        self.flags = flags
        self.stream = stream
        self.payload = payload
    }

    /// Makes a frame of a known kind.
    package init(_ kind: Kind, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []) {
        self.init(kind.rawValue, flags: flags, stream: stream, payload)
    }

    /// The frame as it is sent.
    package var bytes: [UInt8] {
        let count = UInt32(payload.count)
        return Self.bigEndian(count).dropFirst() + [kind, flags] + Self.bigEndian(stream) + payload
    }

    /// Whether it ends its stream.
    package var isEnd: Bool {
        flags & Self.endStream != 0 && (kind == Kind.data.rawValue || kind == Kind.headers.rawValue)
    }

    /// The code of RST_STREAM (§6.4).
    package var errorCode: UInt32 { payload.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }

    /// The code of GOAWAY, which a text may follow (§6.8).
    package var goAwayCode: UInt32 { payload.dropFirst(4).prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }

    /// Settings by their numbers (§6.5.1).
    package static func settings(_ values: KeyValuePairs<UInt16, UInt32> = [:]) -> HTTP2Frame {
        HTTP2Frame(.settings, values.flatMap { bigEndian(UInt32($0.key)).suffix(2) + bigEndian($0.value) })
    }

    /// A complete request head; with `isEnd`, the complete request.
    package static func headers(_ fields: [(String, String)], stream: UInt32, isEnd: Bool = true) -> HTTP2Frame {
        headers(fields.map { (Array($0.0.utf8), Array($0.1.utf8)) }, stream: stream, isEnd: isEnd)
    }

    /// The same with any bytes.
    package static func headers(
        _ fields: [(name: [UInt8], value: [UInt8])],
        stream: UInt32,
        isEnd: Bool = true
    ) -> HTTP2Frame {
        HTTP2Frame(.headers, flags: endHeaders | (isEnd ? endStream : 0), stream: stream, block(fields))
    }

    /// A GET for a path of localhost, with further fields.
    package static func get(_ path: String, stream: UInt32, _ fields: [(String, String)] = []) -> HTTP2Frame {
        headers(request("GET", path) + fields, stream: stream)
    }

    /// The fields with which each request begins (§8.3.1).
    package static func request(_ method: String, _ path: String, host: String = "localhost") -> [(String, String)] {
        [(":method", method), (":scheme", "http"), (":authority", host), (":path", path)]
    }

    /// Content.
    package static func data(_ bytes: [UInt8], stream: UInt32, isEnd: Bool = false) -> HTTP2Frame {
        HTTP2Frame(.data, flags: isEnd ? endStream : 0, stream: stream, bytes)
    }

    /// Ends a stream with an error code (§7).
    package static func reset(_ stream: UInt32, _ code: UInt32 = 8) -> HTTP2Frame {
        HTTP2Frame(.resetStream, stream: stream, bigEndian(code))
    }

    /// Grants the peer more bytes.
    package static func windowUpdate(_ count: UInt32, stream: UInt32 = 0) -> HTTP2Frame {
        HTTP2Frame(.windowUpdate, stream: stream, bigEndian(count))
    }

    /// Fields as HPACK literals without indexing (RFC 7541 §6.2.2).
    package static func block(_ fields: [(String, String)]) -> [UInt8] {
        block(fields.map { (Array($0.0.utf8), Array($0.1.utf8)) })
    }

    private static func block(_ fields: [(name: [UInt8], value: [UInt8])]) -> [UInt8] {
        fields.flatMap { name, value in [0] + text(name) + text(value) }
    }

    private static func text(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
        // A number that doesn't fit into its prefix (RFC 7541 §5.1).
        var length: [UInt8] = [127]
        var rest = bytes.count - 127
        while rest >= 128 {
            length.append(UInt8(rest % 128 + 128))
            rest /= 128
        }
        return length + [UInt8(rest)] + bytes
    }

    private static func bigEndian(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
