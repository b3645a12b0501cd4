import BundleServing
import BundleStore
import HTTPTypes

/// Asking the origin.
extension OriginFallback {
    /// How often a request is tried again when the fetch that it has joined failed: the reason may have been the other
    /// request's own fields.
    private static let maximumAttemptCount = 2
    /// A fetch that failed later than this isn't repeated: the origin is slow, or out.
    private static let retryTime: Duration = .seconds(5)

    /// Asks the origin, or waits for a fetch that is under way.
    ///
    /// - Parameters:
    ///   - fallback: When the stored response may take the place of the origin's.
    ///   - reason: Why the origin is asked.
    ///   - patience: How long the origin may take when something can take its place; nil for the limit.
    func ask(
        _ inquiry: Inquiry,
        fallback: StaleUse,
        reason: CacheStatus.ForwardReason,
        within patience: Duration? = nil
    ) async -> Result {
        guard let fetcher else { return replacement(inquiry, Self.offline, fallback, reason) }
        let hasReplacement = hasReplacement(inquiry, fallback)
        if !hasReplacement, case let ranged = inquiry.ranged, isAlone(ranged) {
            return await fetchAlone(ranged, by: fetcher, reason)
        }
        let origin = inquiry.fetch.resource.origin
        if hasReplacement, breaker.isOut(origin) {
            if breaker.takesProbe(origin) { revalidate(inquiry) }
            return replacement(inquiry, Self.silent, fallback, reason)
        }
        return await fetch(inquiry, within: hasReplacement ? patience ?? limits.patience : nil, fallback, reason)
    }

    private func fetch(
        _ inquiry: Inquiry,
        within limit: Duration?,
        _ fallback: StaleUse,
        _ reason: CacheStatus.ForwardReason
    ) async -> Result {
        var (mayJoin, attemptCount) = (inquiry.mayShare, 0)
        while true {
            attemptCount += 1
            let waiter = mayJoin ? join(inquiry) : begin(inquiry)
            guard let outcome = await waiter.outcome(within: limit, clock) else {
                if !Task.isCancelled { breaker.noteSilence(of: inquiry.fetch.resource.origin) }
                return replacement(inquiry, Self.silent, fallback, reason)
            }
            if let result = await result(of: outcome, waiter, inquiry, fallback, reason) { return result }
            guard case .failed(let error) = outcome else {
                // The others' fetch is of no use to this request.
                mayJoin = false
                continue
            }
            let isLate = waiter.sharedFetch.age > Self.retryTime
            if attemptCount == Self.maximumAttemptCount || isLate || error.cause is OriginDenial {
                return replacement(inquiry, error, fallback, reason)
            }
        }
    }

    /// Asks the origin behind a response that has been given.
    func revalidate(_ inquiry: Inquiry) {
        guard let unattended = fetcher?.permits.unattended(origin: inquiry.fetch.resource.origin), unattended.take()
        else {
            return
        }
        _ = join(inquiry.revalidating(unattended))
    }

    private static let offline = BundleError(.networkUnavailable, "the network is switched off")
    private static let silent = BundleError(.networkUnavailable, "its origin doesn't respond")

    private func hasReplacement(_ inquiry: Inquiry, _ fallback: StaleUse) -> Bool {
        inquiry.hasOfflinePage || fallback != .never && inquiry.stored != nil
    }

    /// Joins the fetch under way, or begins one.
    ///
    /// Not inlined, as the next one: its variables would stay in memory for as long as the request waits.
    @inline(never)
    private func join(_ inquiry: Inquiry) -> FetchWaiter {
        let key = inquiry.fetch.resource.name
        if let offset = inquiry.partialOffset, let waiter = sharedFetches.joining(key, at: offset) { return waiter }
        let ranged = inquiry.ranged
        return start(ranged, with: sharedFetches.join(ranged.fetch.sharingKey, mayJoin: true))
    }

    /// Begins a fetch that no other request joins.
    @inline(never)
    private func begin(_ inquiry: Inquiry) -> FetchWaiter {
        let ranged = inquiry.ranged
        return start(ranged, with: sharedFetches.join(ranged.fetch.sharingKey, mayJoin: false))
    }

    /// Starts a fetch if the waiter is its first.
    private func start(_ inquiry: Inquiry, with waiter: FetchWaiter) -> FetchWaiter {
        guard waiter.isFirst, let fetcher else { return waiter }
        let (fetch, sharedFetch) = (inquiry.fetch, waiter.sharedFetch)
        let key = fetch.sharingKey
        let isUnattended = inquiry.unattended != nil
        let unattended = inquiry.unattended ?? fetcher.permits.unattended(origin: fetch.resource.origin)
        if isUnattended { sharedFetch.goOn { true } }
        sharedFetch.start(on: fetch.executor) { [sharedFetches] in
            await fetcher.run(fetch, in: sharedFetch, unattended, isUnattended: isUnattended)
            sharedFetches.remove(key, sharedFetch)
        } onOutcome: { [sharedFetches, usage] outcome in
            if fetch.isConditional { usage?.noteRevalidation(outcome, of: fetch.release.name) }
            sharedFetches.note(outcome, key, sharedFetch)
        }
        return waiter
    }

    /// The response to a request from the outcome of a fetch; nil when the request has to be fetched on its own.
    private func result(
        of outcome: SharedFetch.Outcome,
        _ waiter: FetchWaiter,
        _ inquiry: Inquiry,
        _ fallback: StaleUse,
        _ reason: CacheStatus.ForwardReason
    ) async -> Result? {
        switch outcome {
        case .kept(let variant, let status, let isConfirmed):
            guard waiter.isFirst || variant.serves(inquiry) else { return nil }
            let forwarded = CacheStatus.Outcome.forwarded(
                reason,
                status: status,
                stored: !isConfirmed,
                collapsed: !waiter.isFirst
            )
            let passed = waiter.isFirst ? variant : variant.forOthers
            return served(passed, inquiry.client, CacheStatus(forwarded, detail: "network"), .network)
        case .found(let variant):
            guard waiter.isFirst || variant.serves(inquiry) else { return nil }
            return hit(variant, inquiry.client, timeToLive: timeToLive(of: variant), .cache)
        case .arriving(let exchange, let body):
            guard waiter.isFirst || exchange.serves(inquiry.fetch.request) else { return nil }
            return await arriving(exchange, body, waiter, inquiry, fallback, reason)
        case .passing(let response):
            if fallback == .onServerError, OriginFetcher.isOutage(response.head.status), let stored = inquiry.stored {
                return stale(stored, inquiry.client, .forwarded(reason, status: response.head.status.code))
            }
            return passing(response.head, response.body, reason)
        case .failed(let error) where waiter.isFirst:
            return replacement(inquiry, error, fallback, reason)
        case .unshared, .failed:
            return nil
        }
    }
}

extension CachedVariant {
    /// Whether it is the response to a request that has joined another one's fetch, which may have confirmed a part.
    fileprivate func serves(_ inquiry: Inquiry) -> Bool {
        response.matches(inquiry.fetch.request) && (body != nil || suffices(for: inquiry.client))
    }
}

/// GETs and HEADs whose responses no other request uses.
extension OriginFallback {
    /// Whether a request shares nothing: not a fetch, since its response is of use to no other request, and not what is
    /// stored, of which there is none. It needs no shared fetch then.
    func isAlone(_ inquiry: Inquiry) -> Bool {
        inquiry.hasNothingStored && (!inquiry.mayShare || sharedFetches.isUnshared(inquiry.fetch.sharingKey))
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
            sharedFetches.share(fetch.sharingKey)
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

/// A body that is stored while a client reads it. When it ends, `onEnd` is called before the client sees that; when it
/// breaks off, the client leaves, or it can't be stored, nothing is kept.
struct StoringBody: AsyncSequence, Sendable {
    private let body: BodyStream
    private let spool: CachedBodyWriter
    private let maximumByteCount: Int64
    private let onEnd: @Sendable (CachedBodyWriter) async -> Void

    init(
        _ body: BodyStream,
        into spool: CachedBodyWriter,
        maximumByteCount: Int64,
        onEnd: @escaping @Sendable (CachedBodyWriter) async -> Void
    ) {
        self.body = body
        self.spool = spool
        self.maximumByteCount = maximumByteCount
        self.onEnd = onEnd
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(storing: self, body: body.makeAsyncIterator()) }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let storing: StoringBody
        fileprivate var body: BodyStream.AsyncIterator
        private var isStored = true

        fileprivate init(storing: StoringBody, body: BodyStream.AsyncIterator) {
            self.storing = storing
            self.body = body
        }

        mutating func next() async throws -> [UInt8]? {
            let chunk = try await body.next()
            if let chunk {
                if isStored, !(await storing.store(chunk)) {
                    isStored = false
                    storing.spool.discard()
                }
            } else if isStored {
                isStored = false
                await storing.onEnd(storing.spool)
            }
            return chunk
        }
    }

    /// Returns false when it can't be stored.
    private func store(_ chunk: [UInt8]) async -> Bool {
        let byteCount = spool.byteCount + Int64(chunk.count)
        guard byteCount <= maximumByteCount else { return false }
        guard byteCount > Int64(CachedBodyWriter.memoryByteCount) else { return (try? spool.append(chunk)) != nil }
        return await withTaskExecutorPreference(BlockingExecutor()) { (try? spool.append(chunk)) != nil }
    }
}
