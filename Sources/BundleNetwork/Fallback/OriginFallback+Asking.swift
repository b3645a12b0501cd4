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
            let ticket = mayJoin ? board(inquiry) : begin(inquiry)
            guard let outcome = await ticket.outcome(within: limit, clock) else {
                if !Task.isCancelled { breaker.noteSilence(of: inquiry.fetch.resource.origin) }
                return replacement(inquiry, Self.silent, fallback, reason)
            }
            if let result = await result(of: outcome, ticket, inquiry, fallback, reason) { return result }
            guard case .failed(let error) = outcome else {
                // The others' fetch is of no use to this request.
                mayJoin = false
                continue
            }
            let isLate = ticket.flight.age > Self.retryTime
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
        _ = board(inquiry.revalidating(unattended))
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
    private func board(_ inquiry: Inquiry) -> FlightTicket {
        let key = inquiry.fetch.resource.name
        if let offset = inquiry.partialOffset, let ticket = flights.joining(key, at: offset) { return ticket }
        let ranged = inquiry.ranged
        return start(ranged, with: flights.board(ranged.fetch.flightKey, mayJoin: true))
    }

    /// Begins a fetch that no other request joins.
    @inline(never)
    private func begin(_ inquiry: Inquiry) -> FlightTicket {
        let ranged = inquiry.ranged
        return start(ranged, with: flights.board(ranged.fetch.flightKey, mayJoin: false))
    }

    /// Starts a fetch if the ticket is its first.
    private func start(_ inquiry: Inquiry, with ticket: FlightTicket) -> FlightTicket {
        guard ticket.isFirst, let fetcher else { return ticket }
        let (fetch, flight) = (inquiry.fetch, ticket.flight)
        let key = fetch.flightKey
        let isUnattended = inquiry.unattended != nil
        let unattended = inquiry.unattended ?? fetcher.permits.unattended(origin: fetch.resource.origin)
        if isUnattended { flight.goOn { true } }
        flight.start(on: fetch.executor) { [flights] in
            await fetcher.run(fetch, in: flight, unattended, isUnattended: isUnattended)
            flights.remove(key, flight)
        } onOutcome: { [flights, usage] outcome in
            if fetch.isConditional { usage?.noteRevalidation(outcome, of: fetch.release.name) }
            flights.note(outcome, key, flight)
        }
        return ticket
    }

    /// The response to a request from the outcome of a fetch; nil when the request has to be fetched on its own.
    private func result(
        of outcome: Flight.Outcome,
        _ ticket: FlightTicket,
        _ inquiry: Inquiry,
        _ fallback: StaleUse,
        _ reason: CacheStatus.ForwardReason
    ) async -> Result? {
        switch outcome {
        case .kept(let variant, let status, let isConfirmed):
            guard ticket.isFirst || variant.serves(inquiry) else { return nil }
            let forwarded = CacheStatus.Outcome.forwarded(
                reason,
                status: status,
                stored: !isConfirmed,
                collapsed: !ticket.isFirst
            )
            let passed = ticket.isFirst ? variant : variant.forOthers
            return served(passed, inquiry.client, CacheStatus(forwarded, detail: "network"), .network)
        case .found(let variant):
            guard ticket.isFirst || variant.serves(inquiry) else { return nil }
            return hit(variant, inquiry.client, timeToLive: timeToLive(of: variant), .cache)
        case .arriving(let exchange, let body):
            guard ticket.isFirst || exchange.serves(inquiry.fetch.request) else { return nil }
            return await arriving(exchange, body, ticket, inquiry, fallback, reason)
        case .passing(let response):
            if fallback == .onServerError, OriginFetcher.isOutage(response.head.status), let stored = inquiry.stored {
                return stale(stored, inquiry.client, .forwarded(reason, status: response.head.status.code))
            }
            return passing(response.head, response.body, reason)
        case .failed(let error) where ticket.isFirst:
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
