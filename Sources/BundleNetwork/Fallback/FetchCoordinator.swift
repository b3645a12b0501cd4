import BundleServing
import BundleStore
import BundleUsage
import Foundation
import HTTPTypes

/// Asks origins for what clients request by GET and HEAD, and lets a stored response take the place of theirs. Requests for
/// one URL that miss at the same time share one fetch, and its body while it arrives. No origin or URL delays another, and
/// no client's close leaves work behind that is of use to nobody.
///
/// Thread-safe.
final class FetchCoordinator: Sendable {
    /// How often a request is tried again when the fetch that it has joined failed: the reason may have been the other
    /// request's own fields.
    private static let maximumAttemptCount = 2
    /// A fetch that failed later than this isn't repeated: the origin is slow, or out.
    private static let retryTime: Duration = .seconds(5)
    private static let offline = BundleError(.networkUnavailable, "the network is switched off")
    private static let timedOut = BundleError(.networkUnavailable, "its origin doesn't respond")

    private let results: FallbackResults
    /// Nil without a network.
    private let installedFetcher: OriginFetcher?
    private let link: NetworkLink
    private let limits: FetchLimits
    private let clock: any Clock<Duration>
    let sharedFetches: SharedFetches
    let breaker: OriginBreaker
    /// Nil when use isn't counted.
    private let usage: UsageRecorder?

    init(
        _ results: FallbackResults,
        transport: (any OriginTransport)?,
        limits: FetchLimits,
        usage: UsageRecorder?,
        link: NetworkLink
    ) {
        (self.results, self.limits, self.usage, self.link) = (results, limits, usage, link)
        let (clock, now) = (results.clock, results.now)
        self.clock = clock
        sharedFetches = SharedFetches(limits, clock: clock)
        let breaker = OriginBreaker(clock: clock, link: link, now: now)
        self.breaker = breaker
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
                cache: results.cache,
                limits: limits,
                permits: FetchPermits(limits),
                link: link,
                clock: clock,
                now: now
            )
        }
    }

    /// Nil without a network, while there is no link, and for requests that may not use it.
    var fetcher: OriginFetcher? { link.isUp && !NetworkLink.isForbidden ? installedFetcher : nil }

    /// Asks the origin, or waits for a fetch that is under way.
    ///
    /// - Parameters:
    ///   - staleUse: When the stored response may take the place of the origin's.
    ///   - reason: Why the origin is asked.
    ///   - timeout: How long the origin may take when something can take its place; nil for the limit.
    func ask(
        _ inquiry: Inquiry,
        staleUse: StaleUse,
        reason: CacheStatus.ForwardReason,
        within timeout: Duration? = nil
    ) async -> FallbackResult {
        let staleUse = inquiry.isOfOtherUser ? .never : staleUse
        guard let fetcher else { return replacement(inquiry, Self.offline, staleUse, reason) }
        let hasReplacement = hasReplacement(inquiry, staleUse)
        if !hasReplacement, case let ranged = inquiry.ranged, sharesNothing(ranged) {
            return await fetchUnshared(ranged, by: fetcher, reason)
        }
        let origin = inquiry.fetch.resource.origin
        if hasReplacement, breaker.isOut(origin) {
            if breaker.takesProbe(origin) { revalidate(inquiry) }
            return replacement(inquiry, Self.timedOut, staleUse, reason)
        }
        return await fetch(inquiry, within: limit(inquiry, staleUse, timeout), staleUse, reason)
    }

    private func fetch(
        _ inquiry: Inquiry,
        within limit: Duration?,
        _ staleUse: StaleUse,
        _ reason: CacheStatus.ForwardReason
    ) async -> FallbackResult {
        var (mayJoin, attemptCount) = (inquiry.mayShare, 0)
        while true {
            attemptCount += 1
            let waiter = mayJoin ? join(inquiry) : begin(inquiry)
            guard let outcome = await waiter.outcome(within: limit, clock) else {
                if !Task.isCancelled { breaker.noteTimeout(of: inquiry.fetch.resource.origin) }
                return replacement(inquiry, Self.timedOut, staleUse, reason)
            }
            if let result = await result(of: outcome, waiter, inquiry, staleUse, reason) { return result }
            guard case .failed(let error) = outcome else {
                // The others' fetch is of no use to this request.
                mayJoin = false
                continue
            }
            let isLate = waiter.sharedFetch.age > Self.retryTime
            if attemptCount == Self.maximumAttemptCount || isLate || error.cause is OriginDenial {
                return replacement(inquiry, error, staleUse, reason)
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

    /// How long the origin may take; nil for any time.
    private func limit(_ inquiry: Inquiry, _ staleUse: StaleUse, _ timeout: Duration?) -> Duration? {
        if staleUse != .never, inquiry.stored != nil { return timeout ?? limits.fallbackTimeout }
        // A copy is for a network that doesn't respond: one that is slow is waited for, unless a rule says how long.
        if inquiry.offlineCopy != nil { return timeout }
        return inquiry.hasOfflinePage ? timeout ?? limits.fallbackTimeout : nil
    }

    private func hasReplacement(_ inquiry: Inquiry, _ staleUse: StaleUse) -> Bool {
        inquiry.hasOfflinePage || inquiry.offlineCopy != nil || staleUse != .never && inquiry.stored != nil
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
        if isUnattended {
            sharedFetch.goOn { true }
        } else if fetch.offlineCopies != nil {
            // A response that comes too late renews the copy.
            sharedFetch.goOn { [link] in !link.isMetered && unattended.take() }
        }
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
        _ staleUse: StaleUse,
        _ reason: CacheStatus.ForwardReason
    ) async -> FallbackResult? {
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
            return results.served(passed, inquiry.client, CacheStatus(forwarded, detail: "network"), .network)
        case .found(let variant):
            guard waiter.isFirst || variant.serves(inquiry) else { return nil }
            return results.hit(variant, inquiry.client, timeToLive: results.timeToLive(of: variant), .cache)
        case .arriving(let exchange, let body):
            guard waiter.isFirst || exchange.serves(inquiry.fetch.request) else { return nil }
            return await arriving(exchange, body, waiter, inquiry, staleUse, reason)
        case .passing(let response):
            if staleUse == .onServerError, OriginFetcher.isOutage(response.head.status), let stored = inquiry.stored {
                return results.stale(stored, inquiry.client, .forwarded(reason, status: response.head.status.code))
            }
            return passing(response, inquiry.fetch, reason)
        case .failed(let error) where waiter.isFirst:
            return replacement(inquiry, error, staleUse, reason)
        case .unshared, .failed:
            return nil
        }
    }

    /// What takes the place of the origin's response when there is none.
    private func replacement(
        _ inquiry: Inquiry,
        _ error: BundleError,
        _ staleUse: StaleUse,
        _ reason: CacheStatus.ForwardReason
    ) -> FallbackResult {
        let mayUseStored = staleUse != .never && !(inquiry.hasOfflinePage && inquiry.stored?.response.isError == true)
        guard let stored = mayUseStored ? inquiry.stored ?? inquiry.offlineCopy : inquiry.offlineCopy else {
            let hasCopy = inquiry.stored != nil
            return .nothing(fetcher == nil ? .offline(hasCopy: hasCopy) : Unavailability(error, hasCopy: hasCopy))
        }
        return results.stale(stored, inquiry.client, fetcher == nil ? .hit : .forwarded(reason))
    }

    /// Passes a response on that HTTP forbids to store. A rule may have a copy of it kept meanwhile.
    private func passing(
        _ response: OriginResponse,
        _ fetch: Fetch,
        _ reason: CacheStatus.ForwardReason
    ) -> FallbackResult {
        let (cache, head) = (results.cache, response.head)
        guard let copy = fetch.offlineCopy(of: head, cache.policy, at: results.now()) else {
            return results.passing(head, response.body, reason)
        }
        let isRedirect = head.status.kind == .redirection
        if let content = isRedirect ? [] : response.body.arrived, content.count <= CachedBodyWriter.memoryByteCount {
            cache.keepCopy(copy, content, of: fetch)
            return results.passing(head, response.body, reason, isStored: true)
        }
        return results.storing(
            copy,
            response.body,
            key: fetch.copyKey,
            under: fetch.release,
            passing: head,
            reason
        )
    }

    /// Whether a request shares nothing: not a fetch, since its response is of use to no other request, and not what is
    /// stored, of which there is none. It needs no shared fetch then.
    private func sharesNothing(_ inquiry: Inquiry) -> Bool {
        inquiry.hasNothingStored && (!inquiry.mayShare || sharedFetches.isUnshared(inquiry.fetch.sharingKey))
    }

    /// Fetches in the request's own task.
    private func fetchUnshared(_ inquiry: Inquiry, by fetcher: OriginFetcher, _ reason: CacheStatus.ForwardReason) async
        -> FallbackResult
    {
        let fetch = inquiry.fetch
        do {
            let (exchange, response) = try await fetcher.fetchUnshared(fetch)
            let isStorable =
                fetch.mayStore && fetch.request.method == .get && response.head.status != .partialContent
                && results.cache.mayKeep(exchange)
            guard isStorable else { return passing(response, fetch, reason) }
            sharedFetches.share(fetch.sharingKey)
            return results.storing(exchange, response.body, key: fetch.key, under: fetch.release, reason)
        } catch {
            return replacement(inquiry, error, .never, reason)
        }
    }

    /// The response to a request, as soon as the beginning of what it wants has arrived.
    private func arriving(
        _ exchange: OriginExchange,
        _ body: SharedBody,
        _ waiter: FetchWaiter,
        _ inquiry: Inquiry,
        _ staleUse: StaleUse,
        _ reason: CacheStatus.ForwardReason
    ) async -> FallbackResult {
        var response = exchange.response
        // Others get what the cache would serve.
        if !waiter.isFirst { response.headerFields = results.cache.policy.storableFields(of: response.headerFields) }
        let head = results.passed(response, reason, isStored: true, isCollapsed: !waiter.isFirst)
        func stream(_ head: HTTPResponse, _ range: Range<Int>?) -> FallbackResult {
            .passing(head, BodyStream(SharedBodyReader(body, range: range, waiter: waiter)))
        }
        func part(_ range: Range<Int>) -> HTTPResponse {
            head.partial(Int64(range.lowerBound)..<Int64(range.upperBound), of: Self.length(head).map(Int64.init))
        }
        guard !inquiry.wantsWhole, head.status == .ok, let length = Self.length(head) else { return stream(head, nil) }
        let representation = Representation(head)
        let fields = inquiry.client.headerFields
        switch ResponseSelection(isHead: false, of: fields, validators: representation.validators, length: length) {
        case .whole: return stream(head, nil)
        case .parts(let parts) where parts.count == 1: return stream(part(parts[0]), parts[0])
        // They depend on the head alone.
        case .notModified, .preconditionFailed: return .stored(representation, .network)
        case .parts, .rangeNotSatisfiable:
            return await complete(exchange, body, inquiry, staleUse, reason) ?? stream(head, nil)
        }
    }

    /// The response once the whole body has arrived; nil when it isn't stored.
    private func complete(
        _ exchange: OriginExchange,
        _ body: SharedBody,
        _ inquiry: Inquiry,
        _ staleUse: StaleUse,
        _ reason: CacheStatus.ForwardReason
    ) async -> FallbackResult? {
        await body.waitForEnd()
        if case .failed(let error) = body.end {
            let broken = BundleError(.networkUnavailable, "the response broke off", cause: error)
            return replacement(inquiry, error as? BundleError ?? broken, staleUse, reason)
        }
        let lookup = await results.cache.lookUp(
            inquiry.fetch.request,
            key: inquiry.fetch.key,
            under: inquiry.fetch.release
        )
        guard let variant = lookup.variant, variant.isComplete else { return nil }
        let forwarded = CacheStatus.Outcome.forwarded(reason, status: exchange.response.status.code, stored: true)
        return results.served(variant, inquiry.client, CacheStatus(forwarded, detail: "network"), .network)
    }

    private static func length(_ head: HTTPResponse) -> Int? {
        head.headerFields[.contentLength].flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }
}

extension CachedVariant {
    /// Whether it is the response to a request that has joined another one's fetch, which may have confirmed a part.
    fileprivate func serves(_ inquiry: Inquiry) -> Bool {
        response.matches(inquiry.fetch.request) && (body != nil || suffices(for: inquiry.client))
    }
}

extension Representation {
    /// A representation with the metadata of a response's head, and no content.
    fileprivate init(_ head: HTTPResponse) {
        let fields = head.headerFields
        self.init(
            status: head.status,
            mediaType: fields[.contentType],
            content: ByteSlice(copying: []),
            entityTag: fields[.eTag].flatMap { EntityTag($0) },
            lastModified: fields[.lastModified].flatMap { HTTPDate($0)?.date },
            fields: fields
        )
    }
}
