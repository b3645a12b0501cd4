/// Finds the head of an HTTP/1 request at the start of the received bytes, and refuses what two receivers could read in
/// two ways: a bare line feed, white space around a name, a folded line, a length stated twice (RFC 9112 §11.2).
///
/// A value type; safe to share between threads. Allocates nothing on the heap; the time is proportional to the number
/// of bytes.
public struct RequestHeadScanner: Sendable {
    /// The result of a scan.
    public enum Result: Sendable {
        /// A complete head.
        case complete(RequestHead)
        /// The beginning of a head; more bytes are needed.
        case incomplete
        /// The client uses HTTP/2 with prior knowledge (RFC 9113 §3.3 and §3.4).
        case http2
        /// A malformed request.
        case malformed(MalformedRequest)
    }

    /// The limits of a head.
    public let limits: RequestHeadLimits

    /// Creates a scanner.
    public init(limits: RequestHeadLimits = RequestHeadLimits()) {
        self.limits = limits
    }

    /// Scans all received bytes that have had no response yet.
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

    /// Whether a refused request appears to be a HEAD, whose response has no content (RFC 9110 §9.3.2).
    public static func isForHead(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.drop { $0 == HeadBytes.carriageReturn || $0 == HeadBytes.lineFeed }.starts(with: "HEAD ".utf8)
    }
}
