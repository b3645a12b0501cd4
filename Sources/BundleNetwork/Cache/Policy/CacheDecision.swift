import Foundation

/// What to do about a request, given what is stored for it. A value type; safe to share between threads.
package enum CacheDecision: Hashable, Sendable {
    /// Serve from the cache without asking the origin. The time to live is the seconds until the response becomes
    /// stale; 0 or negative when it is stale already and `max-stale` or, for a request that is `only-if-cached`,
    /// `stale-while-revalidate` accepts that.
    case serve(timeToLive: TimeInterval)
    /// Serve from the cache at once, and revalidate afterwards (RFC 5861 §3). The time to live is 0 or negative.
    case serveWhileRevalidating(timeToLive: TimeInterval)
    /// Ask the origin whether the stored response is still valid; `fallback` says what to do without a confirmation.
    case revalidate(fallback: StaleUse)
    /// Nothing is stored: ask the origin.
    case fetch
    /// The request is `only-if-cached` and nothing stored satisfies it: respond with 504 (RFC 9111 §5.2.1.7).
    case refuse
}
