import Foundation
import HTTPTypes

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
        let wishes = CacheControl(request.headerFields)
        guard let stored else { return wishes.onlyIfCached ? .refuse : .fetch }
        let directives = directives(of: stored.fields)
        let freshness = freshness(of: stored, now: now)
        let isImmutable = directives.isImmutable && stored.isAuthenticated
        if !stored.isAhead(of: now), isUsableUnvalidated(freshness, isImmutable: isImmutable, directives, wishes) {
            if freshness.isFresh || freshness.isStale(atMost: wishes.maxStale) {
                return .serve(timeToLive: freshness.timeToLive)
            }
            if freshness.isStale(lessThan: directives.staleWhileRevalidate) {
                return wishes.onlyIfCached
                    ? .serve(timeToLive: freshness.timeToLive)
                    : .serveWhileRevalidating(timeToLive: freshness.timeToLive)
            }
        }
        if wishes.onlyIfCached { return .refuse }
        return .revalidate(fallback: staleUse(freshness, directives, wishes))
    }

    /// Whether nothing other than staleness requires validation.
    private func isUsableUnvalidated(
        _ freshness: Freshness,
        isImmutable: Bool,
        _ directives: CacheControl,
        _ wishes: CacheControl
    ) -> Bool {
        if directives.noCache == .response || wishes.noCache != nil { return false }
        // Clients send 0 to request validation, even of a response that has just arrived. A fresh one that is immutable
        // can't have changed: a proxy validates it only for a `no-cache` (RFC 8246 §2.1).
        let isSettled = isImmutable && freshness.isFresh
        if !isSettled, let maxAge = wishes.maxAge, maxAge == 0 || freshness.age > TimeInterval(maxAge) { return false }
        if let minFresh = wishes.minFresh, minFresh > 0, freshness.timeToLive < TimeInterval(minFresh) { return false }
        return freshness.isFresh || !forbidsStale(directives)
    }

    /// When a stored response may be used although its origin was asked and hasn't confirmed it.
    func staleUse(of stored: StoredResponse, for request: HTTPRequest, now: Date) -> StaleUse {
        staleUse(freshness(of: stored, now: now), directives(of: stored.fields), CacheControl(request.headerFields))
    }

    private func staleUse(_ freshness: Freshness, _ directives: CacheControl, _ wishes: CacheControl) -> StaleUse {
        if directives.noCache == .response { return .never }
        if freshness.isFresh { return .onServerError }
        if forbidsStale(directives) { return .never }
        let isTolerated =
            freshness.isStale(lessThan: directives.staleIfError) || freshness.isStale(lessThan: wishes.staleIfError)
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
