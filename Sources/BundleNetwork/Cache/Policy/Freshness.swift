import Foundation

/// How long a stored response is fresh and how old it is (RFC 9111 §4.2). A value type; safe to share between threads.
package struct Freshness: Hashable, Sendable {
    /// The freshness lifetime in seconds, 0 or more (§4.2.1).
    package let lifetime: TimeInterval
    /// The current age in seconds, 0 or more (§4.2.3).
    package let age: TimeInterval

    /// Whether the lifetime exceeds the age (§4.2).
    package var isFresh: Bool { lifetime > age }
    /// The seconds until the response becomes stale; negative once it is, as in Cache-Status `ttl` (RFC 9211 §2.4).
    package var timeToLive: TimeInterval { lifetime - age }
    /// The seconds since the response became stale; 0 while it is fresh.
    package var staleness: TimeInterval { max(0, age - lifetime) }
}
