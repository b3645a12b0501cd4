import BundleServing
import BundleStore
import HTTPTypes

/// GETs and HEADs whose responses no other request uses.
extension OriginFallback {
    /// Whether a request shares nothing: not a fetch, since its response is of use to no other request, and not what is
    /// stored, of which there is none. It needs no flight then.
    func isAlone(_ inquiry: Inquiry) -> Bool {
        inquiry.hasNothingStored && (!inquiry.mayShare || flights.isUnshared(inquiry.fetch.flightKey))
    }

    /// Fetches in the request's own task.
    func fetchAlone(_ inquiry: Inquiry, by fetcher: OriginFetcher, _ reason: CacheStatus.ForwardReason) async -> Result
    {
        let fetch = inquiry.fetch
        do {
            let (exchange, response) = try await fetcher.fetchAlone(fetch)
            let isStorable =
                fetch.mayStore && fetch.request.method == .get && response.head.status != .partialContent
                && cache.mayKeep(exchange)
            guard isStorable else { return passing(response.head, response.body, reason) }
            flights.share(fetch.flightKey)
            return storing(exchange, response.body, key: fetch.key, under: fetch.release, reason)
        } catch {
            return replacement(inquiry, error, .never, reason)
        }
    }

    /// Passes a response on, and stores it meanwhile.
    func storing(
        _ exchange: OriginExchange,
        _ body: BodyStream,
        key: String,
        under release: Release,
        _ reason: CacheStatus.ForwardReason
    ) -> Result {
        let chunks = StoringBody(body, into: cache.beginBody(), maximumByteCount: cache.maximumByteCount) {
            [cache] spool in
            await withTaskExecutorPreference(BlockingExecutor()) {
                _ = cache.keep(exchange, key: key, body: spool, under: release)
            }
        }
        let stored = BodyStream(chunks, trailers: { body.trailers })
        return passing(exchange.response, stored, reason, isStored: true)
    }
}
