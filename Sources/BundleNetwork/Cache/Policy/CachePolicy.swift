import Foundation

/// The rules of HTTP caching (RFC 9111) as pure functions of fields and times: no clock, no storage.
///
/// Ages are never negative, even when a clock was set back. A value type; safe to share between threads.
public struct CachePolicy: Hashable, Sendable {
    /// Whether the cache serves more than one user, and so obeys `private`, `s-maxage`, `proxy-revalidate` and
    /// Authorization (RFC 9111 §1).
    public let isShared: Bool
    /// The fraction of the time since Last-Modified for which a response without an expiry is considered fresh
    /// (§4.2.2); 0 or more.
    public let heuristicFraction: Double
    /// The longest heuristic lifetime in seconds; 0 or more.
    public let heuristicMaximum: TimeInterval

    /// Sets the rules' parameters; a negative number counts as 0.
    public init(isShared: Bool, heuristicFraction: Double = 0.1, heuristicMaximum: TimeInterval = 24 * 60 * 60) {
        self.isShared = isShared
        self.heuristicFraction = max(0, heuristicFraction)
        self.heuristicMaximum = max(0, heuristicMaximum)
    }
}
