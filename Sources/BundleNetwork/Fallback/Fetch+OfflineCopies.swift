import BundleServing
import BundleStore
import Foundation
import HTTPTypes

extension Fetch {
    /// The key under which a copy of the response is kept.
    var copyKey: String {
        OfflineCopies.key(of: key, for: (offlineCopies ?? OfflineCopies()).user(of: request.headerFields))
    }

    /// The response as it is kept for the time without a network; nil when it isn't.
    func offlineCopy(of response: HTTPResponse, _ policy: CachePolicy, at time: Date) -> OriginExchange? {
        guard let offlineCopies else { return nil }
        var exchange = OriginExchange(
            url: url,
            request: request,
            requestTime: time,
            response: response,
            responseTime: time
        )
        exchange.copies = offlineCopies
        return policy.offlineCopy(of: exchange, offlineCopies)
    }
}

extension OriginFetcher {
    /// Keeps a copy of a response that nobody waits for any more, if a rule wants one. The origin isn't read on once the body is too
    /// long for a fetch that goes on without a client, can't be stored, or the link has become metered, unless it revalidates.
    func keepCopy(_ response: OriginResponse, _ fetch: Fetch, _ sharedFetch: SharedFetch) async {
        guard let copy = fetch.offlineCopy(of: response.head, cache.policy, at: now()) else { return }
        guard copy.response.status.kind != .redirection else { return cache.keepCopy(copy, [], of: fetch) }
        let limit = min(limits.unattendedByteCount, cache.maximumByteCount)
        guard Self.length(copy) ?? 0 <= limit else { return }
        await withTaskExecutorPreference(BlockingExecutor()) {
            let spool = cache.beginBody()
            do {
                for try await chunk in response.body {
                    sharedFetch.endUnlessWanted()
                    try Task.checkCancellation()
                    guard spool.byteCount + Int64(chunk.count) <= limit else { return }
                    try spool.append(chunk)
                }
                _ = cache.keep(copy, key: fetch.copyKey, body: spool, under: fetch.release)
            } catch {
                // A body that breaks off isn't kept.
            }
        }
    }
}
