import BundleServing

/// What one HTTP/2 connection may ask for. A value type; safe to share between threads.
struct HTTP2Limits: Sendable {
    /// How many requests may be under way at once (RFC 9113 §5.1.2).
    var maximumConcurrentStreams: UInt32 = 128
    /// The size of a request's field list in bytes, each field counted with 32 more (RFC 9113 §6.5.2). A request with more
    /// is answered with 431.
    var maximumFieldListByteCount: Int
    /// How many fields a request may have, those that begin with a colon included.
    var maximumFieldCount: Int
    /// Content of requests, in bytes, that is read and thrown away; nothing here has a use for any.
    var maximumDiscardedByteCount = HTTP1Exchange.maximumDiscardedByteCount
    /// Frames that ask for work and carry nothing: how many may come in a row, and how many a second.
    var controlFrames = TokenBucket(capacity: 1_000, tokensPerSecond: 100)
    /// How many requests may come in a second.
    var requestsPerSecond: Int

    /// The same as HTTP/1.1 has, and what only HTTP/2 knows.
    init(_ limits: ServerLimits) {
        maximumFieldListByteCount = limits.head.byteCount
        // The request line has four fields here (RFC 9113 §8.3.1).
        maximumFieldCount = limits.head.fieldCount + 4
        requestsPerSecond = limits.requestsPerSecond
    }
}
