/// How much a store keeps of what comes from the network. The oldest responses are dropped first. A value type; safe to
/// share between threads.
public struct CacheLimits: Sendable, Hashable {
    /// The largest number of responses; 0 or more.
    public var maximumCount = 10_000
    /// The largest sum of their bodies' lengths in bytes; 0 or more.
    public var maximumByteCount: Int64 = 512 << 20

    /// 10,000 responses and 512 MiB.
    public init() {}
}
