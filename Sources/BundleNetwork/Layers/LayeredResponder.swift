import BundleServing
import BundleStore
import BundleUsage
import Foundation
import HTTPTypes

/// Responds to requests from the layers in order: active release, retained releases, fresh cache, network, stale cache,
/// the manifest's offline page, 504. `Cache-Status` (RFC 9211) says which.
///
/// Every surface uses this one type. Thread-safe.
public struct LayeredResponder: Sendable {
    /// The longest body from the network that is kept in the cache, in bytes, unless set otherwise: 64 MiB.
    package static let defaultMaximumCachedByteCount: Int64 = 64 << 20

    let resolver: LiveResolver
    private let files: BundledFiles
    let rules: RuleLayer
    private let forwarding: RequestForwarding
    let fallback: OriginFallback
    /// Nil when use isn't counted.
    private let usage: UsageRecorder?
    /// Whether absolute URLs that no bundle covers get the cache, the network and the app's rules too.
    private let coversAll: Bool

    /// - Parameters:
    ///   - resolver: What the bundles hold.
    ///   - store: Where responses from the network are kept.
    ///   - transport: The network, or nil to stay offline.
    ///   - policy: The rules of caching; shared when there are several users.
    ///   - maximumCachedByteCount: The longest body that is kept, in bytes.
    ///   - cacheMemoryByteCount: The most bytes of stored responses that are held in memory.
    ///   - variants: The coded forms of bundled files; nil to send them as they are. Responses from the network are
    ///     sent as received.
    ///   - setsVersionCookies: Whether a page gets a version cookie, so that its parts come from the same version.
    ///   - rules: The network rules.
    ///   - limits: The limits of fetches.
    ///   - clock: The clock of time limits.
    ///   - usage: Counts what the network is needed for; nil to count nothing.
    ///   - isGateway: Whether others send the requests: then it names itself to origins (RFC 9110 §7.6.3). An app is the
    ///     client itself; some servers compress nothing for gateways.
    ///   - coversAll: Whether absolute URLs that no bundle covers get the cache, the network and the app's rules too.
    ///   - scheme: The scheme of the endpoint; nil inside an app, which has no address that origins could be told.
    ///   - now: The clock of the cache.
    package init(
        _ resolver: LiveResolver,
        store: BundleStore,
        transport: (any OriginTransport)?,
        policy: CachePolicy,
        maximumCachedByteCount: Int64 = LayeredResponder.defaultMaximumCachedByteCount,
        cacheMemoryByteCount: Int = 64 << 20,
        variants: (any VariantProvider)? = nil,
        setsVersionCookies: Bool = false,
        rules: NetworkRuling = NetworkRuling(),
        limits: FetchLimits = FetchLimits(),
        clock: any Clock<Duration> = ContinuousClock(),
        usage: UsageRecorder? = nil,
        isGateway: Bool = true,
        coversAll: Bool = false,
        scheme: String? = nil,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.resolver = resolver
        self.usage = usage
        self.coversAll = coversAll
        let pseudonym = isGateway ? OriginFallback.pseudonym : nil
        files = BundledFiles(variants: variants, setsVersionCookies: setsVersionCookies)
        forwarding = RequestForwarding(resolver: resolver, scheme: scheme, pseudonym: pseudonym)
        let cache = ResponseCache(
            store: store,
            policy: policy,
            maximumByteCount: maximumCachedByteCount,
            memory: cacheMemoryByteCount
        )
        fallback = OriginFallback(
            cache: cache,
            transport: transport,
            limits: limits,
            clock: clock,
            usage: usage,
            link: rules.link,
            pseudonym: pseudonym,
            now: now
        )
        self.rules = RuleLayer(rules: rules, clock: clock, diskWorkers: cache.checkers)
    }

    /// Makes the responder of an app.
    ///
    /// - Parameters:
    ///   - store: The bundles, and where responses from the network are kept.
    ///   - transport: The network, or nil to stay offline.
    ///   - policy: The rules of caching. Default: those of a cache of one user, the app's. What is private to the user is
    ///     stored with a mark, so that an endpoint with several users never serves it from the same store; no other user
    ///     may read the store itself.
    ///   - addresses: Where bundles are served besides their origins.
    ///   - maximumCachedByteCount: The longest body that is kept, in bytes. Default: 64 MiB.
    ///   - networkRules: The network rules for all bundles, which come before those of their manifests; see
    ///     ``CommonRules/read(_:)-(String)``. Default: none.
    ///   - isDevelopment: Whether network rules with `mock` apply. Default: false.
    ///   - link: Whether the link is metered; the app may change it at any time.
    ///   - retries: How requests are repeated that got no response.
    ///   - countsUse: Whether the store's statistics count the requests; see ``/BundleUsage/UsageReport``. Default: true.
    public init(
        _ store: BundleStore,
        transport: (any OriginTransport)?,
        policy: CachePolicy = CachePolicy(isShared: false),
        addresses: BundleAddresses = BundleAddresses(),
        maximumCachedByteCount: Int64 = 64 << 20,
        networkRules: CommonRules = CommonRules(),
        isDevelopment: Bool = false,
        link: NetworkLink = NetworkLink(),
        retries: RetryPolicy = RetryPolicy(),
        countsUse: Bool = true
    ) {
        var limits = FetchLimits()
        limits.retries = retries
        self.init(
            LiveResolver(store, addresses: addresses),
            store: store,
            transport: transport,
            policy: policy,
            maximumCachedByteCount: maximumCachedByteCount,
            rules: NetworkRuling(networkRules, RuleConditions(isDevelopment: isDevelopment), link: link),
            limits: limits,
            usage: countsUse ? UsageRecorder(store, every: UsageRecorder.defaultInterval) : nil,
            isGateway: false
        )
    }

    /// Increases when responses from the bundles may differ from earlier ones. A response begun after reading it is at
    /// least as new as it.
    package var generation: Int64 { resolver.generation &+ (files.variants?.generation ?? 0) }

    /// Whether a page gets a version cookie, so that its parts come from the same version.
    package var setsVersionCookies: Bool { files.setsVersionCookies }

    /// Whether a bundle, or the app's cache, is responsible for a URL.
    package func covers(_ target: RequestTarget) -> Bool {
        coversAll && target.scheme != nil || resolver.current.match(target, isNavigation: false) != nil
    }

    /// Responds to a request.
    ///
    /// - Parameter request: With the target as it was sent in `path`, and the `Host` in `authority`; or with an
    ///   absolute URL in `scheme`, `authority` and `path`.
    public func respond(to request: HTTPRequest) async -> ServedResponse {
        counting(await begin(LayeredRequest(request, usesCookies: setsVersionCookies, mayTakeLong: true)).response())
    }

    /// Like ``respond(to:)``, but without waiting if the bundles have the response: for an event loop, which must not
    /// block.
    ///
    /// - Parameters:
    ///   - request: As in ``respond(to:)``.
    ///   - mayCode: Whether bundled files may be sent in a coding that the client accepts.
    package func begin(_ request: HTTPRequest, mayCode: Bool = true) -> ResponseStart {
        begin(LayeredRequest(request, usesCookies: setsVersionCookies, mayCode: mayCode))
    }

    /// Finds the bundle that is responsible, and what a browser may see of it at this address.
    private func begin(_ call: LayeredRequest) -> ResponseStart {
        let request = call.message
        if let response = OwnResponses.withoutBundle(request) { return .complete(response, ResponseSource(.server)) }
        let resolver = resolver.current
        guard let target = call.target else { return BundleIsolation.uncovered(request, .unavailable) }
        guard call.mayTakeLong || resolver.matchesQuickly(target, isNavigation: call.isNavigation) else {
            return .waiting { await begin(call.takingLong).response(to: $0) }
        }
        let pages = call.isTopLevel ? .none : call.cookies
        let found = resolver.match(target, isNavigation: call.isNavigation, for: pages)
        guard let match = found ?? (coversAll ? ResourceMatch(unbundled: target, by: resolver) : nil) else {
            return BundleIsolation.uncovered(request, resolver.absence(of: target))
        }
        return BundleIsolation.begin(request, match, now: fallback.now) { askLayers(call.sending($0), match) }
    }

    /// Asks the layers in their order: each responds, or leaves the request to the next one.
    private func askLayers(_ call: LayeredRequest, _ match: ResourceMatch) -> ResponseStart {
        // 1. The active release. 2. A retained release.
        let damage: DamagedFile?
        switch files.begin(call, match) {
        case .responds(let start): return start
        case .takesLong: return .waiting { await askLayers(call.takingLong, match).response(to: $0) }
        case .lacks(let file): damage = file
        }
        // 3. The network rules, for the request as origins get it.
        let request = forwarding.request(from: call.message, match)
        guard !match.isAmbiguous else { return OwnResponses.ambiguous(request, match) }
        let forwarded: ForwardedRequest
        switch rules.apply(to: request, match, mayUseCache: call.mayUseCache(request)) {
        case .responds(let start): return start
        case .asksNobody: return OwnResponses.withoutOrigin(call, request, match, damage)
        case .forwards(let request): forwarded = request
        }
        guard !forwarding.isLoop(forwarded.request) else { return OwnResponses.loopDetected(forwarded, match) }
        // 4. The fresh cache, as far as it is in memory.
        let address = forwarding.address(of: match, to: forwarded.url)
        guard call.mayUseCache(forwarded.request) else {
            let missing = MissingResource(forwarded, match, at: address)
            return .waiting { await askNetwork(for: missing, nil, $0) }
        }
        let fetch = fallback.fetch(for: forwarded, under: match.release, at: address)
        if let start = fallback.remembered(forwarded, fetch, match) { return start }
        let offlinePage = call.isNavigation ? match.offlinePage : nil
        let missing = MissingResource(forwarded, match, at: address, damage: damage, offlinePage: offlinePage)
        return .waiting { await askNetwork(for: missing, fetch, $0) }
    }

    /// Asks the layers that have to be awaited.
    ///
    /// - Parameter fetch: What is fetched if the cache doesn't respond; nil for a request that only the origin can respond to.
    private func askNetwork(
        for missing: MissingResource,
        _ fetch: Fetch?,
        _ client: ClientExchange
    ) async -> ServedResponse {
        let elapsed = fallback.clock.stopwatch()
        // 4. The fresh cache. 5. The network, whose response is stored on the way. 6. The stale cache.
        let result =
            if let fetch, missing.rule?.usesCacheAlone == true {
                await fallback.stored(for: missing.request, fetch, hasOfflinePage: missing.offlinePage != nil)
            } else if let fetch {
                await fallback.respond(
                    to: missing.request,
                    fetch.from(missing.confined(client)),
                    hasOfflinePage: missing.offlinePage != nil,
                    missing.rule
                )
            } else {
                await fallback.passing.pass(missing, by: fallback.coordinator.fetcher, from: client)
            }
        // 7. The offline page. 8. 504.
        return ended(result, missing, after: elapsed())
    }

    /// The response from the result of the last layers, which is counted.
    ///
    /// Not inlined: its variables would stay in memory for as long as the request waits.
    @inline(never)
    private func ended(
        _ result: FallbackResult,
        _ missing: MissingResource,
        after duration: Duration
    ) -> ServedResponse {
        // A rule's refusal is no failure of the network, and shows no offline page.
        let isRefused = if case .nothing = result { missing.rule?.isMeteredBlock == true } else { false }
        if !isRefused { usage?.note(result, to: missing, after: duration) }
        return RuleLayer.ruled(missing.response(from: result), missing.request, by: missing.rule)
    }

    /// Loads a URL from the layers in order, as an app does that makes its own requests, by the app's network rules and
    /// those of the bundle's manifest. What this or another process has installed or activated since is used; while the
    /// store can't be read, what was last known.
    ///
    /// - Parameters:
    ///   - url: An `http` or `https` URL.
    ///   - isPage: Whether a page is being opened: a client-side route or the offline page may stand in for it then.
    /// - Returns: A response in any case. The status is 404 or 504 when no layer has the URL, 301 for a folder of a bundle
    ///   without its last slash, 500 for a damaged file; redirects aren't followed. What an origin responds has its status.
    ///   Cancelling the task doesn't end a request that the origin hasn't responded to yet.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when `url` is no `http` or `https` URL, or has a
    ///   space or a control character.
    public func load(_ url: String, isPage: Bool = false) async throws(BundleError) -> ServedResponse {
        let request = try HTTPRequest(loading: url, isPage: isPage)
        _ = try? resolver.refresh()
        return await respond(to: request)
    }

    /// Fetches what the releases that are served name as `precache` and isn't stored yet, so that it is there without a
    /// network. For an app after an installation, after an update, at its start, and when the network returns.
    ///
    /// It fetches as ``load(_:isPage:)`` does, and follows redirects below the bundle's origins, from https to https
    /// only. What fails is tried again by a later call: without a response after 30 seconds at first, with pauses that
    /// double up to an hour; up to ten times where the origin responds with what can't be stored. Each release receives
    /// at most 256 MiB at a time.
    ///
    /// - Parameters:
    ///   - names: The bundles; nil for all.
    ///   - limit: How long it takes at most; what there is no time for is left for the next call. Default: 5 minutes.
    ///   - isForced: Whether to try also what isn't due yet.
    /// - Returns: What is stored then, for each bundle that names URLs, by name. It never fails: why a URL isn't stored
    ///   is in its report.
    @discardableResult
    public func precache(
        _ names: Set<BundleName>? = nil,
        within limit: Duration = .seconds(300),
        isForced: Bool = false
    ) async -> [PrecacheReport] {
        await Precacher(resolver, rules, fallback).run(names, within: limit, isForced: isForced)
    }

    /// What is stored of what the releases that are served name as `precache`, without fetching anything.
    ///
    /// - Parameter names: The bundles; nil for all.
    public func precacheReports(_ names: Set<BundleName>? = nil) async -> [PrecacheReport] {
        await Precacher(resolver, rules, fallback).reports(names)
    }

    /// Writes the statistics that have been counted. Otherwise they are written about a minute after a request, and when
    /// the last copy of the responder is released. Does nothing when the store can't be written.
    public func flushStatistics() async { await usage?.flush() }

    /// Counts a response that ``begin(_:mayCode:)`` has begun: what a server counts of its connections, an app's client
    /// counts here.
    package func counting(_ response: ServedResponse) -> ServedResponse { usage?.counting(response) ?? response }

    /// What this responder has seen of the origins since it was made, by name: at most 256, those that were asked last.
    /// What other responders and processes have seen isn't in it.
    ///
    /// For an app that shows which origins are out, since when, and when they are asked again. Reading it waits for
    /// nothing and asks nobody; it may be read on any thread, as often as necessary.
    public var originStates: [OriginState] { fallback.coordinator.breaker.states }

    /// Releases the stored responses that are held in memory and are on the disk, too.
    package func releaseMemory() { fallback.cache.memory.release() }

    /// The stored responses now: see ``/BundleStore/BundleStore/storedEntries(of:policy:now:)``.
    package func storedEntries(of name: BundleName?) throws -> [StoredEntry] {
        try fallback.cache.store.storedEntries(of: name, policy: fallback.cache.policy, now: fallback.now())
    }
}
