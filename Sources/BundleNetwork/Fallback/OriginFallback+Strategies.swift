import BundleServing
import BundleStore
import HTTPTypes

/// The strategies of network rules.
extension OriginFallback {
    /// Responds by a rule's strategy; nil when the rules of HTTP alone decide.
    func respond(_ inquiry: Inquiry, _ stored: CachedVariant, by rule: RuleDecision) async -> Result? {
        let wishes = CacheControl(inquiry.client.headerFields)
        guard !wishes.onlyIfCached else { return nil }
        // What may not be used without the origin isn't, whatever a rule says.
        let fallback = cache.policy.staleUse(of: stored.response, for: inquiry.client, now: now())
        if rule.isNeverOffline { return await ask(inquiry, fallback: .never, reason: .request) }
        switch rule.strategy {
        case .networkFirst:
            return await ask(inquiry, fallback: fallback, reason: .request, within: rule.timeLimit)
        case .staleWhileRevalidate where fallback != .never:
            revalidate(inquiry)
            let timeToLive = timeToLive(of: stored)
            return hit(stored, inquiry.client, timeToLive: timeToLive, timeToLive > 0 ? .cache : .stale)
        case .staleWhileRevalidate, .cacheFirst, .networkOnly, .bundleOnly, .block:
            return nil
        }
    }

    /// Asks the origin alone, and stores nothing.
    func askUncached(_ request: HTTPRequest, _ fetch: Fetch) async -> Result {
        var fetch = fetch
        fetch.mayStore = false
        let inquiry = Inquiry(client: request, fetch: fetch, lookup: .nothing, hasOfflinePage: false)
        return await ask(inquiry, fallback: .never, reason: .bypass)
    }
}

extension ConnectTarget {
    /// - Parameter address: Where a rule connects to.
    init(_ address: ConnectAddress) {
        let isBracketed = address.host.hasPrefix("[") && address.host.hasSuffix("]")
        self.init(
            host: isBracketed ? String(address.host.dropFirst().dropLast()) : address.host,
            port: address.port.flatMap { UInt16(exactly: $0) }
        )
    }
}
