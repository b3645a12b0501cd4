import Foundation
import HTTPCore
import HTTPTypes

extension CachePolicy {
    /// How long `stored` is fresh and how old it is at `now` (RFC 9111 §4.2). A response dated more than five minutes
    /// in the future isn't fresh.
    package func freshness(of stored: StoredResponse, now: Date) -> Freshness {
        Freshness(lifetime: stored.isAhead(of: now) ? 0 : lifetime(of: stored), age: stored.age(now: now))
    }

    /// The statuses that are heuristically cacheable (RFC 9110 §15.1), except 206, which isn't stored.
    static func isHeuristicallyCacheable(_ status: Int) -> Bool {
        [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501].contains(status)
    }

    /// The statuses whose meaning this cache knows, so that `must-understand` lets it store them (RFC 9111 §5.2.2.3):
    /// the final ones of RFC 9110 §15, and those of WebDAV (RFC 4918, RFC 5842), RFC 3229, RFC 6585, RFC 7725 and
    /// RFC 8470. None of them but 206 and 304, which are handled apart, asks for more of a cache than any other.
    static func isUnderstood(_ status: Int) -> Bool {
        switch status {
        case 200...208, 226, 300...305, 307, 308, 400...417, 421...426, 428, 429, 431, 451, 500...508, 510, 511: true
        default: false
        }
    }

    /// The first value that applies (§4.2.1).
    private func lifetime(of stored: StoredResponse) -> TimeInterval {
        let directives = directives(of: stored.fields)
        if obeysSharedRules, let seconds = directives.sharedMaxAge { return TimeInterval(seconds) }
        if let seconds = directives.maxAge { return TimeInterval(seconds) }
        if !directives.isTargeted, stored.fields.contains(.expires) { return lifetimeByExpires(of: stored) }
        guard directives.isPublic || CachePolicy.isHeuristicallyCacheable(stored.status) else { return 0 }
        return heuristicLifetime(of: stored)
    }

    /// An invalid date, especially "0", counts as one in the past (§5.3).
    private func lifetimeByExpires(of stored: StoredResponse) -> TimeInterval {
        guard let expiry = stored.fields.date(.expires, receivedAt: stored.responseTime) else { return 0 }
        return max(0, expiry.timeIntervalSince(stored.date))
    }

    /// A fraction of the time since the content last changed (§4.2.2).
    private func heuristicLifetime(of stored: StoredResponse) -> TimeInterval {
        guard let lastModified = stored.fields.date(.lastModified, receivedAt: stored.responseTime) else { return 0 }
        let unchanged = max(0, stored.date.timeIntervalSince(lastModified))
        return min(unchanged * heuristicFraction, heuristicMaximum)
    }
}
