/// What an installation removed because the quota had no room for it. A value type; safe to share between threads.
public struct QuotaRemoval: Sendable, Hashable {
    /// The versions, in the order of their removal.
    public var releases: [RemovedRelease] = []
    /// The number of cached responses.
    public var responseCount = 0
    /// The sum of their bodies' lengths in bytes.
    public var responseByteCount: Int64 = 0

    /// Creates an empty value.
    package init() {}
}
