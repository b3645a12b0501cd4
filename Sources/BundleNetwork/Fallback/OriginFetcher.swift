import BundleServing
import BundleStore
import Foundation
import HTTPTypes

/// Sends requests to an origin, and stores the responses that HTTP allows to be stored.
struct OriginFetcher: Sendable {
    /// The outcome of a fetch.
    enum Outcome: Sendable {
        /// A response that is in the cache now; `isConfirmed` when the origin confirmed the stored one.
        case kept(CachedVariant, status: Int, isConfirmed: Bool)
        /// A fresh response that another request's fetch has stored in the meantime.
        case found(CachedVariant)
        /// A response that isn't to be stored; its body can be read once.
        case passing(OriginResponse)
        /// A response that couldn't be stored; only the relay's client gets it.
        case relayed
        /// No response.
        case failed(BundleError)
    }

    let transport: any OriginTransport
    let cache: ResponseCache
    let now: @Sendable () -> Date

    /// - Parameters:
    ///   - request: The request for the origin, without preconditions.
    ///   - url: Its URL, under which the response is kept.
    ///   - stored: What the cache has, to be validated.
    ///   - relay: Passes the body on while it is being stored; nil when only the whole body is wanted.
    func fetch(
        _ request: HTTPRequest,
        url: String,
        under release: Release,
        validating stored: CachedVariant?,
        relay: BodyRelay? = nil
    ) async -> Outcome {
        let outcome = await outcome(of: request, url: url, under: release, validating: stored, relay: relay)
        if case .failed(let error) = outcome { relay?.finish(.failed(error)) }
        return outcome
    }

    private func outcome(
        of request: HTTPRequest,
        url: String,
        under release: Release,
        validating stored: CachedVariant?,
        relay: BodyRelay?
    ) async -> Outcome {
        var conditional = request
        conditional.headerFields.append(contentsOf: stored?.response.preconditions ?? [:])
        do {
            let requestTime = now()
            let response = try await send(conditional, isConditional: stored != nil)
            let exchange = OriginExchange(
                url: url,
                request: conditional,
                requestTime: requestTime,
                response: response.head,
                responseTime: now()
            )
            if response.head.status == .notModified, let stored {
                return try await confirm(stored, exchange, request, under: release)
            }
            // An outage never replaces a good copy, even when HTTP would allow it to be stored.
            guard cache.mayKeep(exchange), stored == nil || !Self.isOutage(response.head.status) else {
                return .passing(response)
            }
            // Storing waits for the disk.
            return try await withTaskExecutorPreference(BlockingExecutor()) {
                try await keep(exchange, response.body, request, under: release, relay)
            }
        } catch let error as BundleError {
            return .failed(error)
        } catch {
            return .failed(
                BundleError(.networkUnavailable, "the request for \(url) was given up: \(error)", cause: error)
            )
        }
    }

    /// Sends a request, and accepts only what can be its response: no interim response (RFC 9110 §15.2), no status
    /// outside the classes (§15), no 206 or 304 unless one was requested, and no 407, which is between this server and
    /// a proxy (§15.5.8).
    private func send(_ request: HTTPRequest, isConditional: Bool = false) async throws -> OriginResponse {
        let response = try await transport.send(request)
        switch response.head.status.code {
        case ..<200, 206, 407, 600...: break
        case 304 where !isConditional: break
        case 205: return try await Self.reset(response)
        default: return response
        }
        throw BundleError(
            .networkUnavailable,
            "the server responded with status \(response.head.status.code), which wasn't asked for; check the address"
        )
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

    private func confirm(
        _ stored: CachedVariant,
        _ exchange: OriginExchange,
        _ request: HTTPRequest,
        under release: Release
    ) async throws -> Outcome {
        guard stored.response.isConfirmed(by: exchange.response) else {
            // A 304 for a response that isn't stored: ask again without preconditions.
            return await fetch(request, url: exchange.url, under: release, validating: nil)
        }
        guard let variant = cache.freshen(stored, by: exchange) else {
            // The 304 forbids keeping what it confirms, so the content must be fetched again.
            return .passing(try await send(request))
        }
        let kept = variant.passingOn(exchange.response, cache.policy)
        return .kept(kept, status: exchange.response.status.code, isConfirmed: true)
    }

    /// Whether a status means that the origin itself failed, so that a stale copy may be served (RFC 5861 §4).
    static func isOutage(_ status: HTTPResponse.Status) -> Bool {
        [500, 502, 503, 504].contains(status.code)
    }

    /// Writes the body into the cache. When the store fails or the body is too long, the response is passed through: a
    /// full disk must not break a page.
    private func keep(
        _ exchange: OriginExchange,
        _ body: BodyStream,
        _ request: HTTPRequest,
        under release: Release,
        _ relay: BodyRelay?
    ) async throws -> Outcome {
        guard let writer = try Self.unlessStoreFails({ try cache.store.beginCachedBody() }) else {
            return .passing(OriginResponse(head: exchange.response, body: body))
        }
        var chunks = body.makeAsyncIterator()
        // Such a body may become too long to be stored, and a slow client couldn't get the rest from the cache.
        let isLengthUnknown = !exchange.response.headerFields.contains(.contentLength)
        while let chunk = try await chunks.next() {
            if isLengthUnknown { await relay?.waitForRoom() }
            relay?.offer(chunk, of: exchange.response)
            guard try append(chunk, to: writer) else {
                writer.discard()
                return try await giveUp(exchange, rest: chunks, request, relay)
            }
        }
        let kept = try Self.unlessStoreFails { try cache.keep(exchange, body: writer, under: release) }
        guard let (body, variant) = kept else {
            writer.discard()
            return try await giveUp(exchange, rest: chunks, request, relay)
        }
        relay?.finish(.stored(body))
        guard let variant else {
            return .passing(OriginResponse(head: exchange.response, body: BodyStream(body)))
        }
        let passed = variant.passingOn(exchange.response, cache.policy)
        return .kept(passed, status: exchange.response.status.code, isConfirmed: false)
    }

    /// Returns false when the body is too long or can't be written.
    private func append(_ chunk: [UInt8], to writer: CachedBodyWriter) throws -> Bool {
        guard writer.byteCount + Int64(chunk.count) <= cache.maximumByteCount else { return false }
        return try Self.unlessStoreFails { try writer.append(chunk) } != nil
    }

    /// Handles a body that can't be stored and has been partly read: the relay's client gets the rest of it; without a
    /// relay, the origin is asked again.
    private func giveUp(
        _ exchange: OriginExchange,
        rest: sending BodyStream.AsyncIterator,
        _ request: HTTPRequest,
        _ relay: BodyRelay?
    ) async throws -> Outcome {
        guard let relay else { return .passing(try await send(request)) }
        relay.begin(exchange.response)
        if relay.isBehind {
            let problem = "\(Printable.text(exchange.url)) could not be stored for a slow client; check the free space"
            relay.finish(.failed(BundleError(.storeUnavailable, problem)))
        } else {
            // In a task of its own: requests that wait for the fetch must not wait for this client.
            Task { await Self.pass(rest, of: exchange.response, to: relay) }
        }
        return .relayed
    }

    private static func pass(
        _ rest: BodyStream.AsyncIterator,
        of head: HTTPResponse,
        to relay: BodyRelay
    ) async {
        var chunks = rest
        do {
            while let chunk = try await chunks.next() {
                await relay.waitForRoom()
                guard !relay.isClosed else { return }
                relay.offer(chunk, of: head)
            }
            relay.finish(.complete)
        } catch {
            relay.finish(.failed(error))
        }
    }

    /// Returns nil when the store can't be written.
    private static func unlessStoreFails<Result>(_ body: () throws -> Result) throws -> Result? {
        do {
            return try body()
        } catch let error as BundleError where error.code == .storeUnavailable || error.code == .storeBusy {
            return nil
        }
    }
}
