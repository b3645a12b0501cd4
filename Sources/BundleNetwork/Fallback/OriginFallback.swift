import BundleServing
import BundleStore
import BundleUsage
import Foundation
import HTTPTypes

/// Responds to requests for what a bundle lacks: from the fresh cache, else from the network, else from the stale
/// cache.
///
/// Thread-safe.
final class OriginFallback: Sendable {
    /// The name under which this server adds itself to `Via` (RFC 9110 §7.6.3): random, since the origin may be another
    /// instance.
    static let pseudonym = CacheStatus.cacheName + "-" + String(UInt32.random(in: .min ... .max), radix: 16)

    private let results: FallbackResults
    let passing: RequestPassing
    let coordinator: FetchCoordinator
    /// The name for `Via`; nil inside an app, which is the client itself.
    private let pseudonym: String?

    init(
        cache: ResponseCache,
        transport: (any OriginTransport)?,
        limits: FetchLimits = FetchLimits(),
        clock: any Clock<Duration> = ContinuousClock(),
        usage: UsageRecorder? = nil,
        link: NetworkLink = NetworkLink(),
        pseudonym: String? = OriginFallback.pseudonym,
        now: @escaping @Sendable () -> Date
    ) {
        self.pseudonym = pseudonym
        results = FallbackResults(cache: cache, timeLimit: limits.total, clock: clock, now: now)
        passing = RequestPassing(results: results, pseudonym: pseudonym)
        coordinator = FetchCoordinator(results, transport: transport, limits: limits, usage: usage, link: link)
    }

    var cache: ResponseCache { results.cache }
    /// The clock of time limits.
    var clock: any Clock<Duration> { results.clock }
    /// The clock of the cache.
    var now: @Sendable () -> Date { results.now }

    /// Responds to a GET or HEAD.
    ///
    /// - Parameters:
    ///   - request: The client's request.
    ///   - fetch: What is fetched for it if the origin is asked.
    ///   - hasOfflinePage: Whether an offline page can replace a stale error when the network doesn't respond.
    ///   - rule: The network rule that applies.
    func respond(
        to request: HTTPRequest,
        _ fetch: Fetch,
        hasOfflinePage: Bool = false,
        _ rule: RuleDecision? = nil
    ) async -> FallbackResult {
        guard rule?.strategy != .networkOnly else {
            // Nothing is stored that could respond (RFC 9111 §5.2.1.7).
            return CacheControl(request.headerFields).onlyIfCached
                ? .nothing(.onlyIfCached) : await askUncached(request, fetch)
        }
        // 4. The fresh cache, as far as a rule's strategy lets it respond.
        let lookup = await cache.lookUp(fetch.request, key: fetch.key, under: fetch.release)
        let inquiry = Inquiry(
            client: request,
            fetch: fetch,
            lookup: lookup,
            hasOfflinePage: hasOfflinePage,
            offlineCopy: await cache.offlineCopy(for: fetch, lookup, now: now())
        )
        if let rule, let stored = inquiry.stored, let result = await respond(inquiry, stored, by: rule) {
            return result
        }
        switch step(of: inquiry, lookup.missReason) {
        case .respond(let result): return result
        // 5. The network. 6. The stale cache.
        case .ask(let staleUse, let reason):
            let timeLimit = inquiry.offlineCopy == nil ? nil : rule?.timeLimit
            return await coordinator.ask(inquiry, staleUse: staleUse, reason: reason, within: timeLimit)
        }
    }

    /// Responds to a GET or HEAD with what is stored, if it may be used without its origin; no origin is asked.
    ///
    /// - Parameters:
    ///   - fetch: What would be fetched.
    ///   - hasOfflinePage: Whether an offline page takes the place of a stale error.
    func stored(for request: HTTPRequest, _ fetch: Fetch, hasOfflinePage: Bool) async -> FallbackResult {
        let lookup = await cache.lookUp(fetch.request, key: fetch.key, under: fetch.release)
        let inquiry = Inquiry(client: request, fetch: fetch, lookup: lookup, hasOfflinePage: hasOfflinePage)
        return inquiry.stored.flatMap { usable($0, for: inquiry) } ?? .nothing(.ruledOut)
    }

    /// A stored response, if it may be used without its origin.
    private func usable(_ stored: CachedVariant, for inquiry: Inquiry) -> FallbackResult? {
        let request = inquiry.client
        switch cache.policy.decision(for: request, stored: stored.response, now: now()) {
        case .serve(let timeToLive): return results.hit(stored, request, timeToLive: timeToLive, .cache)
        case .serveWhileRevalidating(let timeToLive):
            return results.hit(stored, request, timeToLive: timeToLive, .stale)
        case .revalidate(let staleUse) where staleUse != .never && !(inquiry.hasOfflinePage && stored.response.isError):
            return results.hit(stored, request, timeToLive: results.timeToLive(of: stored), .stale)
        case .revalidate, .fetch, .refuse: return nil
        }
    }

    /// What follows from a look into the cache.
    private enum Step {
        case respond(FallbackResult)
        case ask(StaleUse, CacheStatus.ForwardReason)
    }

    /// Not inlined: its variables would stay in memory for as long as the request waits.
    @inline(never)
    private func step(of inquiry: Inquiry, _ missReason: CacheStatus.ForwardReason) -> Step {
        let (request, stored) = (inquiry.client, inquiry.stored)
        switch (cache.policy.decision(for: request, stored: stored?.response, now: now()), stored) {
        case (.serve(let timeToLive), let stored?):
            return .respond(results.hit(stored, request, timeToLive: timeToLive, .cache))
        case (.serveWhileRevalidating(let timeToLive), let stored?):
            coordinator.revalidate(inquiry)
            return .respond(results.hit(stored, request, timeToLive: timeToLive, .stale))
        case (.refuse, _):
            return .respond(.nothing(.onlyIfCached))
        case (.revalidate(let staleUse), let stored?):
            return .ask(staleUse, reason(for: request, validating: stored))
        case (.fetch, _), (.serve, nil), (.serveWhileRevalidating, nil), (.revalidate, nil):
            if case .parts = inquiry.fetch.known { return .ask(.never, .partial) }
            return .ask(.never, missReason)
        }
    }

    /// The response to a GET or HEAD without waiting, from what is held in memory and fresh; nil when the catalog or the
    /// origin has to be asked.
    ///
    /// - Parameter fetch: What is fetched for it if the origin is asked; nil when the URL isn't one that an origin could have.
    func remembered(_ forwarded: ForwardedRequest, _ fetch: Fetch?, _ match: ResourceMatch) -> ResponseStart? {
        guard forwarded.rule == nil, let fetch,
            case .found(let stored)? = cache.remembered(fetch.request, key: fetch.key, under: fetch.release),
            stored.body != nil
        else { return nil }
        let now = now()
        guard
            case .serve(let timeToLive) = cache.policy.decision(
                for: forwarded.request,
                stored: stored.response,
                now: now
            )
        else { return nil }
        let status = CacheStatus(.hit, timeToLive: Int(exactly: timeToLive.rounded(.down)), detail: "cache")
        let age = stored.response.age(now: now)
        // Age and the time to live change with the second.
        let rest = min(1 - age.truncatingRemainder(dividingBy: 1), timeToLive)
        let validity = ResponseValidity(until: .now + .seconds(max(0, rest)), stored.validity)
        let response = Responder.respond(to: forwarded.request, with: stored.representation(now: now, status))
        return .complete(
            response.confined(to: match, from: forwarded.url),
            ResponseSource(.cache, match.release),
            timeToLive > 0 ? .target(while: validity, selectedBy: selectors(of: stored, fetch)) : .never
        )
    }

    /// The address isn't among them: it follows from what every ready response is kept by.
    private func selectors(of stored: CachedVariant, _ fetch: Fetch) -> [HTTPField.Name] {
        guard fetch.release.manifest.forwardsAddress else { return stored.furtherSelectors }
        return stored.furtherSelectors.filter { !ForwardedAddress.names.contains($0) }
    }

    /// What is fetched for a GET or HEAD. Nil when the URL isn't one that an origin could have.
    ///
    /// - Parameters:
    ///   - release: The active release of the bundle that covers the URL.
    ///   - address: The client's address, which the origin is told; nil when it isn't.
    func fetch(
        for forwarded: ForwardedRequest,
        under release: Release,
        at address: ForwardedAddress? = nil
    ) -> Fetch? {
        guard let target = OriginTarget(forwarded.url) else { return nil }
        var originRequest = OriginRequest.make(
            from: forwarded.request,
            target: target,
            forwarding: release.manifest.forwardedFields,
            pseudonym: pseudonym
        )
        address?.apply(to: &originRequest.headerFields)
        if let rule = forwarded.rule { originRequest.headerFields = rule.requestFields(originRequest.headerFields) }
        var fetch = Fetch(
            request: originRequest,
            resource: FetchedResource(
                url: forwarded.url,
                key: CacheKey(target, ignoring: release.manifest.ignoredParameters).text,
                release: release,
                origin: target.origin,
                address: address
            ),
            connectTo: forwarded.rule?.connectTo.map(ConnectTarget.init)
        )
        fetch.offlineCopies = forwarded.rule?.offlineCopies
        return fetch
    }

    /// `request` when only the request's own directives rule the stored response out (RFC 9211 §2.2).
    private func reason(for request: HTTPRequest, validating stored: CachedVariant) -> CacheStatus.ForwardReason {
        var undemanding = request
        undemanding.headerFields[.cacheControl] = nil
        if case .serve = cache.policy.decision(for: undemanding, stored: stored.response, now: now()) {
            return .request
        }
        return .stale
    }

    /// Responds by a rule's strategy; nil when the rules of HTTP alone decide.
    private func respond(_ inquiry: Inquiry, _ stored: CachedVariant, by rule: RuleDecision) async -> FallbackResult? {
        let requestDirectives = CacheControl(inquiry.client.headerFields)
        guard !requestDirectives.onlyIfCached else { return nil }
        if rule.forResponse(of: stored.response.head.headerFields[.contentType]).isMeteredBlock,
            let result = usable(stored, for: inquiry)
        {
            return result
        }
        // What may not be used without the origin isn't, whatever a rule says.
        let staleUse =
            inquiry.isOfOtherUser ? .never : cache.policy.staleUse(of: stored.response, for: inquiry.client, now: now())
        if rule.isNeverOffline { return await coordinator.ask(inquiry, staleUse: .never, reason: .request) }
        switch rule.strategy {
        case .networkFirst:
            return await coordinator.ask(inquiry, staleUse: staleUse, reason: .request, within: rule.timeLimit)
        case .staleWhileRevalidate where staleUse != .never:
            coordinator.revalidate(inquiry)
            let timeToLive = results.timeToLive(of: stored)
            return results.hit(stored, inquiry.client, timeToLive: timeToLive, timeToLive > 0 ? .cache : .stale)
        case .staleWhileRevalidate, .cacheFirst, .networkOnly, .cacheOnly, .bundleOnly, .block:
            return nil
        }
    }

    /// Asks the origin without the cache, and stores nothing.
    private func askUncached(_ request: HTTPRequest, _ fetch: Fetch) async -> FallbackResult {
        var fetch = fetch
        fetch.mayStore = false
        let inquiry = Inquiry(client: request, fetch: fetch, lookup: .nothing, hasOfflinePage: false)
        return await coordinator.ask(inquiry, staleUse: .never, reason: .bypass)
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
