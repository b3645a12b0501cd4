import Foundation
import HTTPCore
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

extension CachePolicy {
    /// The directives of a response that this cache obeys: those of the first of ``targetedFields`` that is valid and
    /// not empty, otherwise those of Cache-Control (RFC 9213 §2.2).
    package func directives(of responseFields: HTTPFields) -> CacheControl {
        for name in targetedFields {
            if let directives = CacheControl(targetedField: name, of: responseFields) { return directives }
        }
        return CacheControl(responseFields)
    }

    /// Whether responses are read as by a shared cache: `private`, `s-maxage`, `proxy-revalidate`, and what RFC 9111 §3.5
    /// says of Authorization. A cache with a target list does so however few users it has: it counts itself among caches
    /// that stand in front of many (RFC 9213 §1), so that `private` in a targeted field can only mean that they mustn't
    /// keep the response.
    var obeysSharedRules: Bool { isShared || !targetedFields.isEmpty }
}

extension CachePolicy {
    /// Decides how to respond to `request` from `stored` at `now` (RFC 9111 §4).
    ///
    /// `no-cache`, `max-age` and `min-fresh` in a request can require asking the origin. They are preferences, so they
    /// don't prevent the use of a stored response when the origin can't be reached (§5.2.1).
    ///
    /// - Parameters:
    ///   - request: A GET or HEAD request; its Range and preconditions don't affect the decision.
    ///   - stored: The response selected for it; nil when there is none.
    ///   - now: The present time.
    package func decision(for request: HTTPRequest, stored: StoredResponse?, now: Date) -> CacheDecision {
        let requestDirectives = CacheControl(request.headerFields)
        guard let stored else { return requestDirectives.onlyIfCached ? .refuse : .fetch }
        let directives = directives(of: stored.fields)
        let freshness = freshness(of: stored, now: now)
        let isImmutable = directives.isImmutable && stored.isAuthenticated
        if !stored.isAhead(of: now),
            isUsableUnvalidated(freshness, isImmutable: isImmutable, directives, requestDirectives)
        {
            if freshness.isFresh || freshness.isStale(atMost: requestDirectives.maxStale) {
                return .serve(timeToLive: freshness.timeToLive)
            }
            if freshness.isStale(lessThan: directives.staleWhileRevalidate) {
                return requestDirectives.onlyIfCached
                    ? .serve(timeToLive: freshness.timeToLive)
                    : .serveWhileRevalidating(timeToLive: freshness.timeToLive)
            }
        }
        if requestDirectives.onlyIfCached { return .refuse }
        return .revalidate(fallback: staleUse(freshness, directives, requestDirectives))
    }

    /// Whether nothing other than staleness requires validation.
    private func isUsableUnvalidated(
        _ freshness: Freshness,
        isImmutable: Bool,
        _ directives: CacheControl,
        _ requestDirectives: CacheControl
    ) -> Bool {
        if directives.noCache == .response || requestDirectives.noCache != nil { return false }
        // Clients send 0 to request validation, even of a response that has just arrived. A fresh one that is immutable
        // can't have changed: a proxy validates it only for a `no-cache` (RFC 8246 §2.1).
        let isSettled = isImmutable && freshness.isFresh
        if !isSettled, let maxAge = requestDirectives.maxAge, maxAge == 0 || freshness.age > TimeInterval(maxAge) {
            return false
        }
        if let minFresh = requestDirectives.minFresh, minFresh > 0, freshness.timeToLive < TimeInterval(minFresh) {
            return false
        }
        return freshness.isFresh || !forbidsStale(directives)
    }

    /// When a stored response may be used although its origin was asked and hasn't confirmed it.
    func staleUse(of stored: StoredResponse, for request: HTTPRequest, now: Date) -> StaleUse {
        staleUse(freshness(of: stored, now: now), directives(of: stored.fields), CacheControl(request.headerFields))
    }

    private func staleUse(_ freshness: Freshness, _ directives: CacheControl, _ requestDirectives: CacheControl)
        -> StaleUse
    {
        if directives.noCache == .response { return .never }
        if freshness.isFresh { return .onServerError }
        if forbidsStale(directives) { return .never }
        let isTolerated =
            freshness.isStale(lessThan: directives.staleIfError)
            || freshness.isStale(lessThan: requestDirectives.staleIfError)
        return isTolerated ? .onServerError : .whenDisconnected
    }

    /// §4.2.4; `s-maxage` implies `proxy-revalidate` (§5.2.2.10).
    private func forbidsStale(_ directives: CacheControl) -> Bool {
        directives.mustRevalidate
            || obeysSharedRules && (directives.proxyRevalidate || directives.sharedMaxAge != nil)
    }
}

extension StoredResponse {
    /// Whether nobody but its origin can have made it; otherwise a forged one could be `immutable` (RFC 8246 §3).
    fileprivate var isAuthenticated: Bool { url.scheme?.lowercased() == "https" }
}

extension Freshness {
    /// False without a limit.
    fileprivate func isStale(atMost limit: Int?) -> Bool {
        limit.map { staleness <= TimeInterval($0) } ?? false
    }

    /// False without a limit.
    fileprivate func isStale(lessThan limit: Int?) -> Bool {
        limit.map { staleness < TimeInterval($0) } ?? false
    }
}

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

/// When a stored response may still be used although its validation failed (RFC 9111 §4.2.4, §4.3.3).
package enum StaleUse: Hashable, Sendable {
    /// Not at all: the response is the origin's error, or 504 when there is none.
    case never
    /// When no response came from the origin.
    case whenDisconnected
    /// Also when the origin responded with 500, 502, 503 or 504 (RFC 5861 §4).
    case onServerError
}

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

extension CachePolicy {
    /// Whether keeping a response is useful (RFC 9111 §3 leaves that to the cache): it can be served without the origin
    /// for a while, or the origin can confirm it, or it can be served when there is no network. An error is not: it
    /// would hide that there is no network.
    ///
    /// - Parameter stored: What would be kept, see
    ///   ``storedResponse(to:url:response:bodyLength:requestTime:responseTime:)``.
    package func isReusable(_ stored: StoredResponse) -> Bool {
        let request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: nil)
        switch decision(for: request, stored: stored, now: stored.responseTime) {
        case .serve, .serveWhileRevalidating: return true
        case .revalidate(let fallback):
            return !stored.preconditions.isEmpty || fallback != .never && !stored.isError
        case .fetch, .refuse: return false
        }
    }
}

extension StoredResponse {
    /// Whether the status is one of 400 to 599.
    var isError: Bool { status >= 400 }
}
