import Foundation

/// The rules of HTTP caching (RFC 9111) as pure decisions: fields and times in, answers out; no clock, no storage.
///
/// Times are passed in. A clock that was set back makes no age negative. A value type; safe to share between threads.
public struct CachePolicy: Hashable, Sendable {
    /// Whether the cache answers more than one user, and so heeds `private`, `s-maxage`, `proxy-revalidate` and
    /// Authorization (RFC 9111 §1).
    public let isShared: Bool
    /// The part of the time since Last-Modified for which a response without an expiry is taken for fresh (§4.2.2);
    /// 0 or more.
    public let heuristicFraction: Double
    /// The longest lifetime, in seconds, that is guessed in this way; 0 or more.
    public let heuristicMaximum: TimeInterval

    /// Sets the rules' parameters; a negative number counts as 0.
    public init(isShared: Bool, heuristicFraction: Double = 0.1, heuristicMaximum: TimeInterval = 24 * 60 * 60) {
        self.isShared = isShared
        self.heuristicFraction = max(0, heuristicFraction)
        self.heuristicMaximum = max(0, heuristicMaximum)
    }
}
