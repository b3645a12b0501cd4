import BundleServing
import BundleStore
import Foundation
import HTTPTypes

/// Responds to requests for what a bundle lacks: from the fresh cache, else from the network, else from the stale
/// cache.
///
/// Thread-safe. Requests for one URL that miss at the same time share one fetch.
struct OriginFallback: Sendable {
    /// The result of a fallback.
    enum Result: Sendable {
        /// A stored response, new or old.
        case stored(Representation, ResponseSource.Layer)
        /// A response that is still arriving from the origin and isn't stored.
        case passing(HTTPResponse, BodyStream)
        /// Nothing.
        case nothing(Unavailability)
    }

    /// The name under which this server adds itself to `Via` (RFC 9110 §7.6.3): random, since the origin may be another
    /// instance.
    static let pseudonym = CacheStatus.cacheName + "-" + String(UInt32.random(in: .min ... .max), radix: 16)

    let cache: ResponseCache
    let fetcher: OriginFetcher?
    let now: @Sendable () -> Date
    private let flights = FlightTable<OriginFetcher.Outcome>()
    private let permits = FetchSemaphore()

    init(cache: ResponseCache, transport: (any OriginTransport)?, now: @escaping @Sendable () -> Date) {
        self.cache = cache
        self.now = now
        fetcher = transport.map { OriginFetcher(transport: $0, cache: cache, now: now) }
    }

    /// - Parameters:
    ///   - request: The client's request, GET or HEAD.
    ///   - url: Its URL on the network.
    ///   - release: The active release of the bundle that covers the URL.
    ///   - hasOfflinePage: Whether an offline page can replace a stale error when the network doesn't respond.
    func respond(
        to request: HTTPRequest,
        url: String,
        under release: Release,
        hasOfflinePage: Bool = false
    ) async -> Result {
        var get = request
        get.method = .get
        guard let location = URL(string: url),
            let originRequest = OriginRequest.make(
                from: get,
                url: location,
                forwarding: release.manifest.forwardedFields,
                pseudonym: Self.pseudonym
            )
        else { return .nothing(.invalidURL) }
        // An unreadable cache counts as empty: the network may still respond.
        let lookup = (try? cache.lookUp(originRequest, url: url, under: release)) ?? .nothing
        let stored = lookup.variant
        let fetch = Fetch(
            request: originRequest,
            url: url,
            release: release,
            stored: stored,
            isWhole: request.method == .get && !request.headerFields.contains(where: Self.asksForLess),
            hasOfflinePage: hasOfflinePage
        )
        switch (cache.policy.decision(for: request, stored: stored?.response, now: now()), stored) {
        case (.serve(let timeToLive), let stored?):
            return hit(stored, timeToLive: timeToLive, .cache)
        case (.serveWhileRevalidating(let timeToLive), let stored?):
            Task { _ = await runInTurn(fetch) }
            return hit(stored, timeToLive: timeToLive, .stale)
        case (.refuse, _):
            return .nothing(.onlyIfCached)
        case (.revalidate(let fallback), let stored?):
            let reason = reason(for: request, validating: stored)
            return result(of: await runInTurn(fetch), fetch, fallback: fallback, reason: reason)
        case (.fetch, _), (.serve, nil), (.serveWhileRevalidating, nil), (.revalidate, nil):
            return await respond(fetch, reason: lookup.missReason)
        }
    }

    private struct Fetch: Sendable {
        let request: HTTPRequest
        let url: String
        let release: Release
        let stored: CachedVariant?
        /// Whether the client wants the whole content, unconditionally, so that it can be passed on as it arrives.
        let isWhole: Bool
        let hasOfflinePage: Bool
    }

    private typealias Flight = (outcome: OriginFetcher.Outcome, isShared: Bool)

    private static func asksForLess(_ field: HTTPField) -> Bool {
        [.range, .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince].contains(field.name)
    }

    /// Responds to a request for what isn't stored. If this request fetches a long body, the body reaches the client
    /// while it is being stored.
    private func respond(_ fetch: Fetch, reason: CacheStatus.ForwardReason) async -> Result {
        guard fetch.isWhole else {
            return result(of: await runInTurn(fetch), fetch, fallback: .never, reason: reason)
        }
        guard await permits.acquire() else { return result(of: Self.givenUp, fetch, fallback: .never, reason: reason) }
        let relay = BodyRelay()
        // Continues when the client disconnects: others may wait for what it stores.
        let flight = Task {
            defer { relay.conclude() }
            return await run(fetch, relay: relay)
        }
        let head = await relay.start()
        // The content arrives as fast as the client reads it; others mustn't wait for that.
        permits.release()
        if let head {
            return passing(OriginResponse(head: head, body: BodyStream(RelayedBody(relay))), reason, isStored: true)
        }
        return result(of: await flight.value, fetch, fallback: .never, reason: reason)
    }

    private func result(
        of flight: Flight,
        _ fetch: Fetch,
        fallback: StaleUse,
        reason: CacheStatus.ForwardReason
    ) -> Result {
        switch flight.outcome {
        case .kept(let variant, let status, let isConfirmed):
            let forwarded = CacheStatus.Outcome.forwarded(
                reason,
                status: status,
                stored: !isConfirmed,
                collapsed: flight.isShared
            )
            return .stored(variant.representation(now: now(), CacheStatus(forwarded, detail: "network")), .network)
        case .found(let variant):
            return hit(variant, timeToLive: timeToLive(of: variant), .cache)
        case .passing(let response):
            if fallback == .onServerError, OriginFetcher.isOutage(response.head.status), let stored = fetch.stored {
                return stale(stored, .forwarded(reason, status: response.head.status.code))
            }
            return passing(response, reason)
        case .relayed:
            // Only the request that began the relay reads from it; `run` gives this outcome to no other.
            return .nothing(.noResponse("the response went to another request", hasCopy: false))
        case .failed(let error):
            return disconnected(fetch, error, fallback: fallback, reason)
        }
    }

    private func disconnected(
        _ fetch: Fetch,
        _ error: BundleError,
        fallback: StaleUse,
        _ reason: CacheStatus.ForwardReason
    ) -> Result {
        guard fallback != .never, let stored = fetch.stored, !(fetch.hasOfflinePage && stored.response.isError) else {
            let hasCopy = fetch.stored != nil
            return .nothing(fetcher == nil ? .offline(hasCopy: hasCopy) : Unavailability(error, hasCopy: hasCopy))
        }
        return stale(stored, fetcher == nil ? .hit : .forwarded(reason))
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

    private static let givenUp: Flight =
        (.failed(BundleError(.networkUnavailable, "no request waits for the response any more")), false)

    /// Runs the fetch once a permit is free, unless the client disconnects before.
    private func runInTurn(_ fetch: Fetch) async -> Flight {
        guard await permits.acquire() else { return Self.givenUp }
        defer { permits.release() }
        return await run(fetch)
    }

    /// Runs the fetch, or takes the outcome of one in progress if it suits this request too.
    private func run(_ fetch: Fetch, relay: BodyRelay? = nil) async -> Flight {
        guard let fetcher else {
            return (.failed(BundleError(.networkUnavailable, "This server works offline.")), false)
        }
        let operation: @Sendable () async -> OriginFetcher.Outcome = {
            // The fetch that this request would have joined may have ended since it looked at the cache.
            if let variant = storedSince(fetch) { return .found(variant) }
            return await fetcher.fetch(
                fetch.request,
                url: fetch.url,
                under: fetch.release,
                validating: fetch.stored,
                relay: relay
            )
        }
        // A fetch that began under another version must not be used for this one.
        let key = "\(fetch.release.name)@\(fetch.release.version) \(fetch.url)"
        let flight = await flights.run(key, operation)
        guard flight.isShared else { return flight }
        switch flight.outcome {
        case .kept(let variant, let status, let isConfirmed) where variant.response.matches(fetch.request):
            return (.kept(variant.forOthers, status: status, isConfirmed: isConfirmed), true)
        case .found(let variant) where variant.response.matches(fetch.request): return flight
        case .failed: return flight
        case .kept, .found, .passing, .relayed: return (await operation(), false)
        }
    }

    private func hit(_ variant: CachedVariant, timeToLive: TimeInterval, _ layer: ResponseSource.Layer) -> Result {
        response(with: variant, .hit, timeToLive: timeToLive, layer)
    }

    /// The stored response replaces that of an origin that failed, which is not a hit (RFC 9211 §2.1).
    private func stale(_ variant: CachedVariant, _ outcome: CacheStatus.Outcome) -> Result {
        response(with: variant, outcome, timeToLive: timeToLive(of: variant), .stale)
    }

    private func response(
        with variant: CachedVariant,
        _ outcome: CacheStatus.Outcome,
        timeToLive: TimeInterval,
        _ layer: ResponseSource.Layer
    ) -> Result {
        let status = CacheStatus(outcome, timeToLive: Int(exactly: timeToLive.rounded(.down)), detail: layer.rawValue)
        return .stored(variant.representation(now: now(), status), layer)
    }

    private func timeToLive(of variant: CachedVariant) -> TimeInterval {
        cache.policy.freshness(of: variant.response, now: now()).timeToLive
    }

    private func storedSince(_ fetch: Fetch) -> CachedVariant? {
        guard let variant = try? cache.variant(for: fetch.request, url: fetch.url, under: fetch.release),
            variant.response != fetch.stored?.response,
            case .serve = cache.policy.decision(for: fetch.request, stored: variant.response, now: now())
        else { return nil }
        return variant
    }

    private func passing(
        _ response: OriginResponse,
        _ reason: CacheStatus.ForwardReason,
        isStored: Bool = false
    ) -> Result {
        let forwarded = CacheStatus.Outcome.forwarded(reason, status: response.head.status.code, stored: isStored)
        let status = CacheStatus(forwarded, detail: "network")
        var head = response.head
        head.headerFields = head.headerFields.removingConnectionFields()
        head.headerFields[.xContentTypeOptions] = "nosniff"
        head.headerFields.append(HTTPField(name: .cacheStatus, value: status.fieldValue))
        return .passing(head, response.body)
    }
}
