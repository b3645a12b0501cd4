import HTTPCore
import NIOCore

/// The limits of one HTTP/2 connection. A value type; safe to share between threads.
struct HTTP2Limits: Sendable {
    /// The maximum number of concurrent requests (RFC 9113 §5.1.2).
    var maximumConcurrentStreams: UInt32 = 128
    /// The maximum size of a request's field list in bytes, with 32 more for each field (RFC 9113 §6.5.2). A larger
    /// request gets 431.
    var maximumFieldListByteCount: Int
    /// The maximum number of fields in a request, pseudo-header fields included.
    var maximumFieldCount: Int
    /// How many bytes of content may wait to be read on a connection; on each stream it is the protocol's default of
    /// 65,535 (RFC 9113 §6.9.2).
    var receiveWindowByteCount: Int32 = 1 << 20
    /// Request content that no responder reads is discarded up to this length in bytes.
    var maximumDiscardedByteCount = HTTP1Exchange.maximumDiscardedByteCount
    /// Frames that cause work and carry no content: how many may arrive in a row, and how many per second.
    var controlFrames = TokenBucket(capacity: 1_000, tokensPerSecond: 100)
    /// How many requests may come in a second.
    var requestsPerSecond: Int

    /// The limits that HTTP/1.1 has too, and defaults for those of HTTP/2 alone.
    init(_ limits: ServerLimits) {
        maximumFieldListByteCount = limits.head.byteCount
        // The request line becomes four pseudo-header fields (RFC 9113 §8.3.1).
        maximumFieldCount = limits.head.fieldCount + 4
        requestsPerSecond = limits.requestsPerSecond
    }
}

/// Allows a number of events in a row, and a number per second after that. Pure.
struct TokenBucket: Sendable {
    private let capacity: Double
    private let tokensPerSecond: Double
    private var tokens: Double
    private var filledAt: NIODeadline?

    /// A full bucket. Both numbers must be more than zero.
    init(capacity: Int, tokensPerSecond: Int) {
        self.capacity = Double(capacity)
        self.tokensPerSecond = Double(tokensPerSecond)
        tokens = Double(capacity)
    }

    /// Takes one token. Returns false when there is none.
    mutating func take(at now: NIODeadline) -> Bool {
        if let filledAt, now > filledAt {
            let seconds = Double((now - filledAt).nanoseconds) / 1e9
            tokens = min(capacity, tokens + seconds * tokensPerSecond)
        }
        filledAt = now
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }
}
