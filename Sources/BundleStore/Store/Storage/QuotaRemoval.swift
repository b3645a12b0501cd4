/// What an installation gave up because the quota had no room for it any more. A value type; safe to share between threads.
public struct QuotaRemoval: Sendable, Hashable {
    /// The versions, in the order in which they were given up.
    public var releases: [RemovedRelease] = []
    /// How many responses that came from the network.
    public var responseCount = 0
    /// The sum of their bodies' lengths in bytes.
    public var responseByteCount: Int64 = 0

    /// Nothing.
    public init() {}
}
