import Foundation
import HTTPTypes

/// The rules of HTTP caching (RFC 9111) as pure functions of fields and times: no clock, no storage.
///
/// Ages are never negative, even when a clock was set back. A value type; safe to share between threads.
public struct CachePolicy: Hashable, Sendable {
    /// Whether the cache serves more than one user, and so obeys `private`, `s-maxage`, `proxy-revalidate` and
    /// Authorization (RFC 9111 §1), and keeps nothing that has to do with cookies unless it may expressly.
    public let isShared: Bool
    /// The names of the fields by which origins address caches of this one's class, such as `CDN-Cache-Control`, the
    /// most specific first: the target list of RFC 9213 §2.2. With one, the directives for shared caches are obeyed too.
    public let targetedFields: [HTTPField.Name]
    /// The fraction of the time since Last-Modified for which a response without an expiry is considered fresh
    /// (§4.2.2); 0 or more.
    public let heuristicFraction: Double
    /// The longest heuristic lifetime in seconds; 0 or more.
    public let heuristicMaximum: TimeInterval

    /// Sets the rules' parameters; a negative number counts as 0.
    public init(
        isShared: Bool,
        targetedFields: [HTTPField.Name] = [],
        heuristicFraction: Double = 0.1,
        heuristicMaximum: TimeInterval = 24 * 60 * 60
    ) {
        self.isShared = isShared
        self.targetedFields = targetedFields
        self.heuristicFraction = max(0, heuristicFraction)
        self.heuristicMaximum = max(0, heuristicMaximum)
    }

    /// The same rules for several users.
    var whenShared: CachePolicy {
        CachePolicy(
            isShared: true,
            targetedFields: targetedFields,
            heuristicFraction: heuristicFraction,
            heuristicMaximum: heuristicMaximum
        )
    }
}
