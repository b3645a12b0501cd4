import BundleServing
import BundleStore
import BundleUsage
import Foundation
import HTTPTypes

/// Responds to requests for what a bundle lacks: from the fresh cache, else from the network, else from the stale
/// cache.
///
/// Thread-safe. Requests for one URL that miss at the same time share one fetch, and its body while it arrives. No origin
/// or URL delays another, and no client's close leaves work behind that is of use to nobody.
struct OriginFallback: Sendable {
    /// The result of a fallback.
    indirect enum Result: Sendable {
        /// A stored response, new or old.
        case stored(Representation, ResponseSource.Layer)
        /// A response from stored parts.
        case partial(Response, ResponseSource.Layer)
        /// A response that is still arriving from the origin.
        case passing(HTTPResponse, BodyStream)
        /// A switch of protocols.
        case switching(HTTPResponse, Tunnel)
        /// Nothing.
        case nothing(Unavailability)
    }

    /// The name under which this server adds itself to `Via` (RFC 9110 §7.6.3): random, since the origin may be another
    /// instance.
    static let pseudonym = CacheStatus.cacheName + "-" + String(UInt32.random(in: .min ... .max), radix: 16)

    let cache: ResponseCache
    /// Nil without a network.
    private let installedFetcher: OriginFetcher?
    private let link: NetworkLink
    /// The name for `Via`; nil inside an app, which is the client itself.
    let pseudonym: String?
    let limits: FetchLimits
    let clock: any Clock<Duration>
    let now: @Sendable () -> Date
    let sharedFetches: SharedFetches
    let breaker: OriginBreaker
    /// Nil when use isn't counted.
    let usage: UsageRecorder?

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
        self.usage = usage
        self.link = link
        self.pseudonym = pseudonym
        self.cache = cache
        self.limits = limits
        self.clock = clock
        self.now = now
        sharedFetches = SharedFetches(limits, clock: clock)
        let breaker = OriginBreaker(clock: clock, link: link, now: now)
        self.breaker = breaker
        let permits = FetchPermits(limits)
        installedFetcher = transport.map {
            let transport = RetryingTransport(
                transport: $0,
                policy: limits.retries,
                breaker: breaker,
                clock: clock,
                random: { .random(in: 0..<1) }
            )
            return OriginFetcher(
                transport: transport,
                cache: cache,
                limits: limits,
                permits: permits,
                clock: clock,
                now: now
            )
        }
    }

    /// Nil without a network, and while there is no link.
    var fetcher: OriginFetcher? { link.isUp ? installedFetcher : nil }

    /// Responds to a request for what a bundle lacks.
    ///
    /// - Parameters:
    ///   - fetch: What is fetched if the origin is asked; nil when only the origin can respond.
    ///   - client: The client's side of it.
    func respond(to missing: MissingResource, _ fetch: Fetch?, _ client: ClientExchange) async -> Result {
        guard let fetch else { return await pass(missing, from: client) }
        return await respond(
            to: missing.request,
            fetch.from(missing.confined(client)),
            hasOfflinePage: missing.offlinePage != nil,
            missing.rule
        )
    }

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
    ) async -> Result {
        guard rule?.strategy != .networkOnly else { return await askUncached(request, fetch) }
        let lookup = await cache.lookUp(fetch.request, key: fetch.key, under: fetch.release)
        let inquiry = Inquiry(client: request, fetch: fetch, lookup: lookup, hasOfflinePage: hasOfflinePage)
        if let rule, let stored = inquiry.stored, let result = await respond(inquiry, stored, by: rule) {
            return result
        }
        switch step(of: inquiry, lookup.missReason) {
        case .respond(let result): return result
        case .ask(let fallback, let reason): return await ask(inquiry, fallback: fallback, reason: reason)
        }
    }

    /// What follows from a look into the cache.
    private enum Step {
        case respond(Result)
        case ask(StaleUse, CacheStatus.ForwardReason)
    }

    /// Not inlined: its variables would stay in memory for as long as the request waits.
    @inline(never)
    private func step(of inquiry: Inquiry, _ missReason: CacheStatus.ForwardReason) -> Step {
        let (request, stored) = (inquiry.client, inquiry.stored)
        switch (cache.policy.decision(for: request, stored: stored?.response, now: now()), stored) {
        case (.serve(let timeToLive), let stored?):
            return .respond(hit(stored, request, timeToLive: timeToLive, .cache))
        case (.serveWhileRevalidating(let timeToLive), let stored?):
            revalidate(inquiry)
            return .respond(hit(stored, request, timeToLive: timeToLive, .stale))
        case (.refuse, _):
            return .respond(.nothing(.onlyIfCached))
        case (.revalidate(let fallback), let stored?):
            return .ask(fallback, reason(for: request, validating: stored))
        case (.fetch, _), (.serve, nil), (.serveWhileRevalidating, nil), (.revalidate, nil):
            if case .parts = inquiry.fetch.known { return .ask(.never, .partial) }
            return .ask(.never, missReason)
        }
    }

    /// The response to a GET or HEAD without waiting, from what is held in memory and fresh; nil when the catalog or the
    /// origin has to be asked.
    ///
    /// - Parameters:
    ///   - fetch: What is fetched for it if the origin is asked; nil when the URL isn't one that an origin could have.
    ///   - hasAllFields: Whether it has more than the deciding fields.
    func remembered(
        _ forwarded: ForwardedRequest,
        _ fetch: Fetch?,
        _ match: ResourceMatch,
        hasAllFields: Bool
    ) -> ResponseStart? {
        guard forwarded.rule == nil, let fetch,
            case .found(let stored)? = cache.remembered(fetch.request, key: fetch.key, under: fetch.release),
            stored.body != nil, case let selectors = selectors(of: stored, fetch), hasAllFields || selectors.isEmpty
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
            timeToLive > 0 ? .target(while: validity, selectedBy: selectors) : .never
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
        return Fetch(
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

    func timeToLive(of variant: CachedVariant) -> TimeInterval {
        cache.policy.freshness(of: variant.response, now: now()).timeToLive
    }
}

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
