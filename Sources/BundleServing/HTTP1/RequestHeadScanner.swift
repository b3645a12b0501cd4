/// Finds the head of an HTTP/1 request at the start of what was received, and refuses what two receivers could read in two
/// ways: a bare line feed, white space around a name, a folded line, a length told twice (RFC 9112 §11.2).
///
/// A value type; safe to share between threads. Takes nothing from the heap, and time in proportion to the bytes.
public struct RequestHeadScanner: Sendable {
    /// What there is.
    public enum Result: Sendable {
        /// A whole head.
        case complete(RequestHead)
        /// The beginning of one, which more bytes may complete.
        case incomplete
        /// The client speaks HTTP/2 by prior knowledge (RFC 9113 §3.3 and §3.4).
        case http2
        /// Nothing that can be answered as a request.
        case malformed(MalformedRequest)
    }

    /// How much is taken in.
    public let limits: RequestHeadLimits

    /// Takes in what the limits allow.
    public init(limits: RequestHeadLimits = RequestHeadLimits()) {
        self.limits = limits
    }

    /// Looks at all bytes that were received and are not yet answered.
    public func scan(_ bytes: UnsafeRawBufferPointer) -> Result {
        guard let first = bytes.first else { return .incomplete }
        // POST, PUT and PATCH begin with the same letter.
        if first == UInt8(ascii: "P") {
            switch HTTP2Preface.isPresent(in: bytes) {
            case true: return .http2
            case nil: return .incomplete
            case false: break
            }
        }
        var reader = RequestHeadReader(bytes, limits: limits)
        do throws(MalformedRequest) {
            return try reader.read() ? .complete(reader.head) : .incomplete
        } catch {
            return .malformed(error)
        }
    }

    /// Whether a request that is refused is a HEAD, whose response has no content (RFC 9110 §9.3.2), as far as its bytes tell.
    public static func isForHead(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.drop { $0 == HeadBytes.carriageReturn || $0 == HeadBytes.lineFeed }.starts(with: "HEAD ".utf8)
    }
}
