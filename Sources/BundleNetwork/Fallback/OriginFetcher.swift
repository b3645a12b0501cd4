import BundleServing
import BundleStore
import Foundation
import HTTPTypes

/// Sends requests to an origin, and stores the responses that HTTP allows to be stored.
struct OriginFetcher: Sendable {
    /// A response's head has arrived, or none will.
    private indirect enum Start {
        case ended(SharedFetch.Outcome)
        /// A response whose body is to be stored as it arrives.
        case storing(OriginExchange, BodyStream)
    }

    let transport: any OriginTransport
    let cache: ResponseCache
    let limits: FetchLimits
    let permits: FetchPermits
    let link: NetworkLink
    let clock: any Clock<Duration>
    let now: @Sendable () -> Date

    /// Fetches, and tells the shared fetch the outcome. Returns when the body has arrived, too.
    ///
    /// - Parameters:
    ///   - unattended: The right to go on when all clients have left.
    ///   - isUnattended: Whether no client waits for it: a revalidation.
    func run(
        _ fetch: Fetch,
        in sharedFetch: SharedFetch,
        _ unattended: FetchPermits.Unattended,
        isUnattended: Bool
    ) async {
        let start =
            isUnattended
            ? await begin(fetch)
            : await permits.run(origin: fetch.resource.origin, url: fetch.resource.name) { await begin(fetch) }
        switch start {
        case .storing(let exchange, let body):
            await store(exchange, body, fetch, sharedFetch) { [link, limits] missing in
                isUnattended
                    || !link.isMetered && missing.map { $0 <= limits.unattendedByteCount } ?? false && unattended.take()
            }
        case .ended(.passing(let response)) where sharedFetch.waiterCount == 0:
            sharedFetch.resolve(.unshared)
            await keepCopy(response, fetch, sharedFetch)
        case .ended(let outcome): sharedFetch.resolve(outcome)
        case nil: sharedFetch.resolve(.failed(Self.abandoned))
        }
    }

    private func begin(_ fetch: Fetch) async -> Start {
        // The fetch that this one would have joined may have ended since it looked at the cache.
        if let variant = await storedSince(fetch) { return .ended(.found(variant)) }
        do {
            return try await request(fetch)
        } catch let error as BundleError {
            return .ended(.failed(error))
        } catch is CancellationError {
            return .ended(.failed(Self.abandoned))
        } catch {
            let problem = "the request for \(Printable.text(fetch.url)) was given up: \(error)"
            return .ended(.failed(BundleError(.networkUnavailable, problem, cause: error)))
        }
    }

    private static let abandoned =
        BundleError(.networkUnavailable, "no request waits for the response any more", cause: CancellationError())

    private func storedSince(_ fetch: Fetch) async -> CachedVariant? {
        let request = fetch.request
        guard fetch.mayStore, request.method == .get,
            let variant = await cache.lookUp(request, key: fetch.key, under: fetch.release).variant,
            variant.response != fetch.stored?.response, variant.suffices(for: request),
            case .serve = cache.policy.decision(for: request, stored: variant.response, now: now())
        else { return nil }
        return variant
    }

    private func request(_ fetch: Fetch) async throws -> Start {
        switch fetch.known {
        case .parts(let completion): return try await complete(completion, fetch)
        case .otherVariants where fetch.request.method == .get:
            let others = await cache.otherVariants(under: fetch.key, of: fetch.release)
                .filter { fetch.release.mayConfirm($0.response, for: fetch.request) }
            return try await select(among: others, fetch)
        case .nothing, .whole, .otherVariants: return try await confirmOrReplace(fetch)
        }
    }

    private func confirmOrReplace(_ fetch: Fetch) async throws -> Start {
        var conditional = fetch.request
        conditional.headerFields.append(contentsOf: fetch.stored?.response.preconditions ?? [:])
        let (exchange, response) = try await exchange(conditional, fetch)
        if response.head.status == .notModified, let stored = fetch.stored {
            return try await confirm(stored, exchange, fetch)
        }
        return start(exchange, response, fetch)
    }

    /// Fetches what is missing of a response of which parts are stored. Any other response than that part is treated as
    /// if nothing were stored; a part of other content is of no use, and the origin is asked again.
    private func complete(_ completion: Completion, _ fetch: Fetch) async throws -> Start {
        let (sent, response) = try await exchange(completion.applied(to: fetch.request), fetch)
        switch response.head.status {
        case .partialContent:
            guard let joined = completion.joined(with: response, cache.policy) else { break }
            return start(sent.responding(to: fetch.request, with: joined.head), joined, fetch)
        case .rangeNotSatisfiable: break
        default: return start(sent, response, fetch)
        }
        var whole = fetch
        whole.known = .nothing
        return try await request(whole)
    }

    /// Asks the origin which of the responses that other requests select is the right one, if any (RFC 9111 §4.3.1).
    private func select(among others: [OtherVariant], _ fetch: Fetch) async throws -> Start {
        var conditional = fetch.request
        conditional.headerFields.append(contentsOf: others.map(\.response).preconditions)
        let (sent, response) = try await exchange(conditional, fetch)
        guard response.head.status == .notModified else { return start(sent, response, fetch) }
        let confirmed = others.map(\.response).confirmed(by: response.head)
        let confirming = sent.responding(to: fetch.request, with: response.head)
        guard let other = others.first(where: { $0.response == confirmed }),
            let variant = await cache.adopt(other, by: confirming, key: fetch.key, under: fetch.release)
        else {
            // It can't be told which, or it may not be kept: ask again without preconditions.
            var unconditional = fetch
            unconditional.known = .nothing
            return try await request(unconditional)
        }
        return kept(variant, by: sent)
    }

    private func kept(_ variant: CachedVariant, by exchange: OriginExchange) -> Start {
        let kept = variant.passingOn(exchange.response, cache.policy)
        return .ended(.kept(kept, status: exchange.response.status.code, isConfirmed: true))
    }

    func exchange(_ request: HTTPRequest, _ fetch: Fetch) async throws -> (OriginExchange, OriginResponse) {
        let requestTime = now()
        let response = try await send(request, fetch)
        var exchange = OriginExchange(
            url: fetch.url,
            request: request,
            requestTime: requestTime,
            response: response.head,
            responseTime: now()
        )
        exchange.copies = fetch.offlineCopies
        return (exchange, response)
    }

    private func start(_ exchange: OriginExchange, _ response: OriginResponse, _ fetch: Fetch) -> Start {
        if fetch.request.method == .head, response.head.status == .ok, let stored = fetch.stored {
            cache.freshen(stored, byHead: exchange)
        }
        // An outage never replaces a good copy, even when HTTP would allow it to be stored.
        guard fetch.mayStore, fetch.request.method == .get, cache.mayKeep(exchange.asWhole),
            exchange.isWholeOrPart,
            fetch.stored == nil || !Self.isOutage(response.head.status)
        else { return .ended(.passing(response)) }
        return .storing(exchange, response.body)
    }

    /// Sends a request, and accepts only what can be its response: no interim response (RFC 9110 §15.2), no status
    /// outside the classes (§15), no 206 or 304 unless one was requested, and no 407, which is between this server and
    /// a proxy (§15.5.8).
    private func send(_ request: HTTPRequest, _ fetch: Fetch) async throws -> OriginResponse {
        var call = OriginCall(request)
        call.onInterim = fetch.onInterim
        call.connectTo = fetch.connectTo
        let response = try await transport.send(call).selected(byAddressUnder: fetch.release, to: request.method)
        switch response.head.status.code {
        case ..<200, 407, 600...: break
        case 206 where request.headerFields[.range] == nil: break
        case 304 where !Self.isConditional(request): break
        case 205: return try await Self.reset(response)
        default: return response
        }
        throw BundleError(
            .networkUnavailable,
            "the server responded with status \(response.head.status.code), which wasn't asked for; check the address"
        )
    }

    private static func isConditional(_ request: HTTPRequest) -> Bool {
        request.headerFields.contains(.ifNoneMatch) || request.headerFields.contains(.ifModifiedSince)
    }

    /// A 205 must not have content (RFC 9110 §15.3.6), however its end is signalled.
    private static func reset(_ response: OriginResponse) async throws -> OriginResponse {
        for try await chunk in response.body where !chunk.isEmpty {
            throw BundleError(
                .networkUnavailable,
                "the server responded with status 205 and content, which it can't have; check the server"
            )
        }
        return OriginResponse(head: response.head, body: BodyStream([]))
    }

    private func confirm(_ stored: CachedVariant, _ exchange: OriginExchange, _ fetch: Fetch) async throws -> Start {
        var unconditional = fetch
        unconditional.known = .nothing
        // A 304 for a response that isn't stored: ask again without preconditions.
        guard stored.response.isConfirmed(by: exchange.response) else { return try await request(unconditional) }
        guard let variant = cache.freshen(stored, by: exchange) else {
            // The 304 forbids keeping what it confirms, so the content must be fetched again.
            return .ended(.passing(try await send(fetch.request, fetch)))
        }
        return kept(variant, by: exchange)
    }

    /// Whether a status means that the origin itself failed, so that a stale copy may be served (RFC 5861 §4).
    static func isOutage(_ status: HTTPResponse.Status) -> Bool {
        [500, 502, 503, 504].contains(status.code)
    }
}

/// Requests whose responses no other request uses.
extension OriginFetcher {
    /// Fetches what isn't stored, in the task of the request that waits for it.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable` when no response comes.
    func fetchUnshared(_ fetch: Fetch) async throws(BundleError) -> (OriginExchange, OriginResponse) {
        try await inTurn(origin: fetch.resource.origin, key: fetch.resource.name, url: fetch.url) {
            try await exchange(fetch.request, fetch)
        }
    }

    /// Sends a request that isn't cached.
    ///
    /// - Throws: As ``fetchUnshared(_:)``.
    func pass(_ call: OriginCall, url: String) async throws(BundleError) -> OriginResponse {
        try await inTurn(origin: call.origin, key: "\(call.request.method) \(url)", url: url) {
            try await transport.send(call)
        }
    }

    /// Runs `body` once it is its turn.
    private func inTurn<Response>(
        origin: String,
        key: String,
        url: String,
        _ body: () async throws -> Response
    ) async throws(BundleError) -> Response {
        let result = await permits.run(origin: origin, url: key) { () async -> Swift.Result<Response, any Error>? in
            do { return .success(try await body()) } catch { return .failure(error) }
        }
        switch result {
        case .success(let response): return response
        case .failure(let error as BundleError): throw error
        case .failure, nil:
            throw BundleError(.networkUnavailable, "the request for \(Printable.text(url)) was given up")
        }
    }
}

/// Storing bodies while clients read them.
extension OriginFetcher {
    /// Stores a body as it arrives. When the store fails or the body is too long, it only passes through: a full disk
    /// must not break a page.
    ///
    /// - Parameter mayGoOn: Asked when the last client has left, with how many bytes of the body haven't arrived; nil when that isn't
    ///   known.
    func store(
        _ exchange: OriginExchange,
        _ body: BodyStream,
        _ fetch: Fetch,
        _ sharedFetch: SharedFetch,
        mayGoOn: @escaping @Sendable (_ missing: Int64?) -> Bool
    ) async {
        let shared = SharedBody(cache.beginBody())
        let length = Self.length(exchange)
        sharedFetch.goOn { mayGoOn(length.map { $0 - Int64(shared.byteCount) }) }
        guard waitsForDisk(exchange) else { return await receive(exchange, body, shared, fetch, sharedFetch) }
        await withTaskExecutorPreference(BlockingExecutor()) {
            await receive(exchange, body, shared, fetch, sharedFetch)
        }
    }

    /// Whether a long body is stored, or a part, for which the catalog is read.
    private func waitsForDisk(_ exchange: OriginExchange) -> Bool {
        guard exchange.response.status != .partialContent, let length = Self.length(exchange) else { return true }
        return length > Int64(CachedBodyWriter.memoryByteCount)
    }

    static func length(_ exchange: OriginExchange) -> Int64? {
        exchange.response.headerFields[.contentLength].flatMap { Int64($0) }
    }

    private func receive(
        _ exchange: OriginExchange,
        _ body: BodyStream,
        _ shared: SharedBody,
        _ fetch: Fetch,
        _ sharedFetch: SharedFetch
    ) async {
        let writer = shared.spool
        let timer = Task {
            try await clock.sleep(for: limits.startTime)
            sharedFetch.resolve(.arriving(exchange, shared))
        }
        defer { timer.cancel() }
        do {
            let isStored = try await receive(body, into: shared, writer, exchange, sharedFetch)
            if let part = exchange.response.receivedPart {
                if isStored {
                    // With those of the same content that are stored (RFC 9111 §3.4).
                    _ = cache.keepPart(
                        exchange,
                        key: fetch.key,
                        range: part.range,
                        completeLength: part.length,
                        body: writer,
                        under: fetch.release
                    )
                }
                sharedFetch.resolve(.arriving(exchange, shared))
                return shared.finish(.complete)
            }
            guard isStored,
                let variant = cache.keep(exchange, key: fetch.key, body: writer, under: fetch.release)
            else {
                sharedFetch.resolve(.arriving(exchange, shared))
                return shared.finish(.complete)
            }
            let passed = variant.passingOn(exchange.response, cache.policy)
            sharedFetch.resolve(.kept(passed, status: exchange.response.status.code, isConfirmed: false))
            shared.finish(.complete)
        } catch {
            let error =
                error as? BundleError
                ?? BundleError(.networkUnavailable, "\(Printable.text(fetch.url)) broke off", cause: error)
            sharedFetch.resolve(.failed(error))
            shared.finish(.failed(error))
        }
    }

    /// Returns whether the body can be stored.
    private func receive(
        _ body: BodyStream,
        into shared: SharedBody,
        _ spool: CachedBodyWriter,
        _ exchange: OriginExchange,
        _ sharedFetch: SharedFetch
    ) async throws -> Bool {
        // Such a body may become too long to be stored, and slow clients couldn't get the rest from the cache.
        let length = Self.length(exchange)
        let isLengthUnknown = length == nil
        var (isStorable, isSpooled) = (true, true)
        for try await chunk in body where !chunk.isEmpty {
            if let length, Int64(shared.byteCount + chunk.count) > length { throw Self.wrongLength }
            if isLengthUnknown || !isSpooled { await shared.waitForRoom() }
            if isStorable, spool.byteCount + Int64(chunk.count) > cache.maximumByteCount {
                isStorable = false
                giveUpStoring(exchange, shared, sharedFetch)
            }
            // What is too long is spooled only so that clients needn't wait for each other.
            if isSpooled, !(isStorable || sharedFetch.waiterCount > 1) || (try? spool.append(chunk)) == nil {
                (isStorable, isSpooled) = (false, false)
                giveUpStoring(exchange, shared, sharedFetch)
                await shared.waitForRoom()
            }
            sharedFetch.endUnlessWanted()
            try Task.checkCancellation()
            shared.append(chunk, isSpooled: isSpooled)
            if shared.byteCount > limits.startByteCount { sharedFetch.resolve(.arriving(exchange, shared)) }
        }
        if let length, Int64(shared.byteCount) != length { throw Self.wrongLength }
        return isStorable
    }

    private static let wrongLength =
        BundleError(.networkUnavailable, "the response isn't as long as its Content-Length says; check the server")

    /// From now on the body is of use only to the clients that read it already.
    private func giveUpStoring(_ exchange: OriginExchange, _ shared: SharedBody, _ sharedFetch: SharedFetch) {
        sharedFetch.goOn { false }
        sharedFetch.resolve(.arriving(exchange, shared))
        sharedFetch.isClosed = true
    }
}
