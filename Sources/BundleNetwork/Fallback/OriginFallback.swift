import BundleServing
import BundleStore
import Foundation
import HTTPTypes

/// Answers what a bundle lacks: from the fresh cache, else from the network, else from the stale cache.
///
/// Thread-safe. Several requests for one URL that miss at the same time make one fetch.
struct OriginFallback: Sendable {
    /// What it found.
    enum Result: Sendable {
        /// Something that is stored.
        case stored(Representation)
        /// A response on its way from the origin that isn't stored.
        case passing(HTTPResponse, OriginBody)
        /// Nothing; why, in a sentence for a person.
        case nothing(reason: String)
    }

    /// The name under which this server adds itself to `Via` (RFC 9110 §7.6.3).
    static let pseudonym = CacheStatus.cacheName

    let cache: ResponseCache
    let fetcher: OriginFetcher?
    let now: @Sendable () -> Date
    private let flights = FlightTable<OriginFetcher.Outcome>()

    init(cache: ResponseCache, transport: (any OriginTransport)?, now: @escaping @Sendable () -> Date) {
        self.cache = cache
        self.now = now
        fetcher = transport.map { OriginFetcher(transport: $0, cache: cache, now: now) }
    }

    /// - Parameters:
    ///   - request: The client's request, GET or HEAD.
    ///   - url: Where the network has it.
    ///   - release: The active release of the bundle that covers the URL.
    func respond(to request: HTTPRequest, url: String, under release: Release) async -> Result {
        var get = request
        get.method = .get
        guard let location = URL(string: url),
            let originRequest = OriginRequest.make(from: get, url: location, pseudonym: Self.pseudonym)
        else { return .nothing(reason: "\(Printable.text(url)) isn't a URL that an origin could have.") }
        // A cache that can't be read is an empty one: the network may still answer.
        let stored = try? cache.variant(for: originRequest, url: url, under: release)
        let fetch = Fetch(request: originRequest, url: url, release: release, stored: stored)
        switch cache.policy.decision(for: request, stored: stored?.response, now: now()) {
        case .serve(let timeToLive):
            return hit(stored, timeToLive: timeToLive, detail: "cache")
        case .serveWhileRevalidating(let timeToLive):
            Task { _ = await run(fetch) }
            return hit(stored, timeToLive: timeToLive, detail: "stale")
        case .refuse:
            return .nothing(reason: "The request allows only stored responses, and there is none that satisfies it.")
        case .fetch:
            return await respond(fetch, fallback: .never, reason: .uriMiss)
        case .revalidate(let fallback):
            return await respond(fetch, fallback: fallback, reason: reason(for: request, validating: stored))
        }
    }

    private struct Fetch: Sendable {
        let request: HTTPRequest
        let url: String
        let release: Release
        let stored: CachedVariant?
    }

    private func respond(_ fetch: Fetch, fallback: StaleUse, reason: CacheStatus.ForwardReason) async -> Result {
        let (outcome, isShared) = await run(fetch)
        switch outcome {
        case .kept(let variant, let status, let isConfirmed):
            let forwarded = CacheStatus.Outcome.forwarded(
                reason,
                status: status,
                stored: !isConfirmed,
                collapsed: isShared
            )
            return .stored(variant.representation(now: now(), CacheStatus(forwarded, detail: "network")))
        case .found(let variant):
            return hit(variant, timeToLive: timeToLive(of: variant), detail: "cache")
        case .passing(let response):
            if fallback == .onServerError, OriginFetcher.isOutage(response.head.status), fetch.stored != nil {
                return stale(fetch.stored)
            }
            return passing(response, reason)
        case .failed(let error):
            return fallback == .never ? .nothing(reason: error.message) : stale(fetch.stored)
        }
    }

    /// `request` when what is stored would have done, had the client not asked for more (RFC 9211 §2.2).
    private func reason(for request: HTTPRequest, validating stored: CachedVariant?) -> CacheStatus.ForwardReason {
        var undemanding = request
        undemanding.headerFields[.cacheControl] = nil
        if case .serve = cache.policy.decision(for: undemanding, stored: stored?.response, now: now()) {
            return .request
        }
        return .stale
    }

    /// Runs the fetch, or takes the outcome of one under way if it suits this request too.
    private func run(_ fetch: Fetch) async -> (outcome: OriginFetcher.Outcome, isShared: Bool) {
        guard let fetcher else {
            return (.failed(BundleError(.networkUnavailable, "This server works offline.")), false)
        }
        let operation: @Sendable () async -> OriginFetcher.Outcome = {
            // The fetch that this request would have joined may have ended since it looked at the cache.
            if let variant = storedSince(fetch) { return .found(variant) }
            return await fetcher.fetch(fetch.request, url: fetch.url, under: fetch.release, validating: fetch.stored)
        }
        // A fetch that began under another version must not answer for this one.
        let key = "\(fetch.release.name)@\(fetch.release.version) \(fetch.url)"
        let flight = await flights.run(key, operation)
        guard flight.isShared else { return flight }
        switch flight.outcome {
        case .kept(let variant, _, _) where variant.response.matches(fetch.request): return flight
        case .found(let variant) where variant.response.matches(fetch.request): return flight
        case .failed: return flight
        case .kept, .found, .passing: return (await operation(), false)
        }
    }

    private func hit(_ variant: CachedVariant?, timeToLive: TimeInterval, detail: String) -> Result {
        guard let variant else { return .nothing(reason: "The stored response is gone.") }
        let status = CacheStatus(.hit, timeToLive: Int(exactly: timeToLive.rounded(.down)), detail: detail)
        return .stored(variant.representation(now: now(), status))
    }

    private func stale(_ variant: CachedVariant?) -> Result {
        guard let variant else { return .nothing(reason: "The stored response is gone.") }
        return hit(variant, timeToLive: timeToLive(of: variant), detail: "stale")
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

    private func passing(_ response: OriginResponse, _ reason: CacheStatus.ForwardReason) -> Result {
        let status = CacheStatus(.forwarded(reason, status: response.head.status.code), detail: "network")
        var head = response.head
        head.headerFields = head.headerFields.removingConnectionFields()
        head.headerFields[.xContentTypeOptions] = "nosniff"
        head.headerFields.append(HTTPField(name: .cacheStatus, value: status.fieldValue))
        return .passing(head, response.body)
    }
}
