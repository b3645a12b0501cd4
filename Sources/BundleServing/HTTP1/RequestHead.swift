/// The head of an HTTP/1 request, found in the bytes that were received (RFC 9112 §3 to §6). Nothing is copied: what it
/// names are positions among those bytes.
///
/// A value type; safe to share between threads.
public struct RequestHead: Sendable {
    /// How the request's content ends (RFC 9112 §6.3).
    public enum Framing: Sendable, Equatable {
        /// There is none.
        case none
        /// After this many bytes.
        case length(Int)
        /// With the last chunk.
        case chunked
    }

    /// The number of bytes up to and with the empty line, and with empty lines before the request.
    public internal(set) var byteCount = 0
    /// Where the method's token is (§3.1).
    public internal(set) var methodToken = 0..<0
    /// The method.
    public internal(set) var method = RequestView.Method.other
    /// Where the target is (§3.2).
    public internal(set) var target = 0..<0
    /// The minor version: 0 for HTTP/1.0, else 1.
    public internal(set) var minorVersion: UInt8 = 1
    /// Where the value of `Host` is; nil when there is no such field, which only HTTP/1.0 allows.
    public internal(set) var host: Range<Int>?
    /// Where the values of the deciding fields are.
    public internal(set) var fields = DecidingFields()
    /// Where the value of `Referer` is; nil when there is no such field.
    public internal(set) var referer: Range<Int>?
    /// Where the value of `User-Agent` is; nil when there is no such field.
    public internal(set) var userAgent: Range<Int>?
    /// Whether the client waits for an interim response before it sends content (RFC 9110 §10.1.1), or has another expectation.
    public internal(set) var expectsContinue = false
    /// How the content ends.
    public internal(set) var framing = Framing.none
    /// Whether nothing after the request is answered: `Connection` says `close` (§9.6), or what follows may be another
    /// protocol.
    public internal(set) var closesConnection = false
    /// Whether the request is a GET or HEAD of HTTP/1.1 for a path, without content, and ``view(of:)`` says all of it that can
    /// change what a bundle responds.
    public internal(set) var isPlain = false

    /// What the request says that can change its response. For a request that ``isPlain``.
    ///
    /// - Parameter bytes: Those that the head was found in.
    public func view(of bytes: UnsafeRawBufferPointer) -> RequestView {
        RequestView(bytes, method: method, target: target, authority: host, fields: fields)
    }

    /// Calls `body` with the places of each field's name and value, in their order.
    ///
    /// - Parameter bytes: Those that the head was found in.
    public func forEachField(
        in bytes: UnsafeRawBufferPointer,
        _ body: (_ name: Range<Int>, _ value: Range<Int>) -> Void
    ) {
        // Behind ` HTTP/1.1` and the line's end. The scanner has seen to it that each line has a colon and ends in CRLF.
        var position = target.upperBound + 11
        while let end = HeadBytes.lineFeed(in: bytes, from: position), end < byteCount, end > position + 1,
            let colon = bytes[position..<end].firstIndex(of: UInt8(ascii: ":"))
        {
            body(position..<colon, HeadBytes.trimmed(colon + 1..<end - 1, of: bytes))
            position = end + 1
        }
    }
}
