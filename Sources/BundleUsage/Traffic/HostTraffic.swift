/// What was sent to a host and received from it. A value type; safe to share between threads.
public struct HostTraffic: Hashable, Sendable {
    /// The host of the URLs, without a port; empty for all hosts together that there was no more room for.
    public let host: String
    /// How many requests were sent.
    public internal(set) var requestCount: Int64 = 0
    /// The bytes of requests: heads, as HTTP/1.1 writes them, and contents. TLS and TCP come on top.
    public internal(set) var sentByteCount: Int64 = 0
    /// The bytes of responses, in the same way. What is read of a content counts.
    public internal(set) var receivedByteCount: Int64 = 0

    init(_ host: String) {
        self.host = host
    }
}
