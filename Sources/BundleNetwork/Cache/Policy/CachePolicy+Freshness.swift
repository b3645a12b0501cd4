import Foundation
import HTTPTypes

extension CachePolicy {
    /// How long `stored` is fresh and how old it is at `now` (RFC 9111 §4.2). A response from more than five minutes in the
    /// future isn't fresh.
    public func freshness(of stored: StoredResponse, now: Date) -> Freshness {
        Freshness(lifetime: stored.isAhead(of: now) ? 0 : lifetime(of: stored), age: stored.age(now: now))
    }

    /// The statuses that may be taken for fresh without an explicit expiry (RFC 9110 §15.1), but for 206, which isn't
    /// stored.
    static func isHeuristicallyCacheable(_ status: Int) -> Bool {
        [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501].contains(status)
    }

    /// §4.2.1: the first that applies.
    private func lifetime(of stored: StoredResponse) -> TimeInterval {
        let directives = CacheControl(stored.fields)
        if isShared, let seconds = directives.sharedMaxAge { return TimeInterval(seconds) }
        if let seconds = directives.maxAge { return TimeInterval(seconds) }
        if stored.fields.contains(.expires) { return lifetimeByExpires(of: stored) }
        guard directives.isPublic || CachePolicy.isHeuristicallyCacheable(stored.status) else { return 0 }
        return heuristicLifetime(of: stored)
    }

    /// An invalid date, "0" above all, is one in the past (§5.3).
    private func lifetimeByExpires(of stored: StoredResponse) -> TimeInterval {
        guard let expiry = stored.fields.date(.expires, receivedAt: stored.responseTime) else { return 0 }
        return max(0, expiry.timeIntervalSince(stored.date))
    }

    /// §4.2.2: a part of the time for which the content hadn't changed.
    private func heuristicLifetime(of stored: StoredResponse) -> TimeInterval {
        guard let lastModified = stored.fields.date(.lastModified, receivedAt: stored.responseTime) else { return 0 }
        let unchanged = max(0, stored.date.timeIntervalSince(lastModified))
        return min(unchanged * heuristicFraction, heuristicMaximum)
    }
}
