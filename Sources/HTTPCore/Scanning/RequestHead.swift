/// The head of an HTTP/1 request, as positions in the received bytes (RFC 9112 §3 to §6). Nothing is copied.
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

    /// The number of bytes through the empty line, including empty lines before the request.
    public internal(set) var byteCount = 0
    /// The position of the method's token (§3.1).
    public internal(set) var methodToken = 0..<0
    /// The method.
    public internal(set) var method = RequestView.Method.other
    /// The position of the target (§3.2).
    public internal(set) var target = 0..<0
    /// The minor version: 0 for HTTP/1.0, else 1.
    public internal(set) var minorVersion: UInt8 = 1
    /// The position of the value of `Host`; nil when there is no such field, which only HTTP/1.0 allows.
    public internal(set) var host: Range<Int>?
    /// The positions of the deciding fields' values.
    public internal(set) var fields = DecidingFields()
    /// The position of the value of `Referer`; nil when there is no such field.
    public internal(set) var referer: Range<Int>?
    /// The position of the value of `User-Agent`; nil when there is no such field.
    public internal(set) var userAgent: Range<Int>?
    /// Whether the client waits for an interim response before it sends content (RFC 9110 §10.1.1), or has another
    /// expectation.
    public internal(set) var expectsContinue = false
    /// How the content ends.
    public internal(set) var framing = Framing.none
    /// Whether no later request gets a response: `Connection` says `close` (§9.6), or another protocol may follow.
    public internal(set) var closesConnection = false
    /// Whether the request is a GET or HEAD of HTTP/1.1 for a path, without content, and ``view(of:)`` has everything
    /// that can change a bundle's response.
    public internal(set) var isPlain = false

    /// A view of everything that can change the response. For a request that ``isPlain``.
    ///
    /// - Parameter bytes: The bytes that the head was scanned from.
    public func view(of bytes: UnsafeRawBufferPointer) -> RequestView {
        RequestView(
            bytes,
            method: method,
            target: target,
            authority: host,
            fields: fields,
            lines: fieldStart..<max(fieldStart, byteCount)
        )
    }

    /// Calls `body` with the positions of each field's name and value, in order.
    ///
    /// - Parameters:
    ///   - bytes: The bytes that the head was scanned from.
    ///   - body: The closure to call.
    public func forEachField(
        in bytes: UnsafeRawBufferPointer,
        _ body: (_ name: Range<Int>, _ value: Range<Int>) -> Void
    ) {
        HeadBytes.forEachField(in: UnsafeRawBufferPointer(rebasing: bytes[..<byteCount]), from: fieldStart, body)
    }

    /// After ` HTTP/1.1` and the line's end.
    private var fieldStart: Int { target.upperBound + 11 }
}
