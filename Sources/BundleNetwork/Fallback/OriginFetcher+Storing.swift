import BundleServing
import BundleStore
import HTTPTypes

/// Storing bodies while clients read them.
extension OriginFetcher {
    /// Stores a body as it arrives. When the store fails or the body is too long, it only passes through: a full disk
    /// must not break a page.
    func store(_ exchange: OriginExchange, _ body: BodyStream, _ fetch: Fetch, _ flight: Flight) async {
        guard waitsForDisk(exchange) else { return await receive(exchange, body, fetch, flight) }
        await withTaskExecutorPreference(BlockingExecutor()) { await receive(exchange, body, fetch, flight) }
    }

    /// Whether a long body is stored, or a part, for which the catalog is read.
    private func waitsForDisk(_ exchange: OriginExchange) -> Bool {
        guard exchange.response.status != .partialContent, let length = Self.length(exchange) else { return true }
        return length > Int64(CachedBodyWriter.memoryByteCount)
    }

    private static func length(_ exchange: OriginExchange) -> Int64? {
        exchange.response.headerFields[.contentLength].flatMap { Int64($0) }
    }

    private func receive(_ exchange: OriginExchange, _ body: BodyStream, _ fetch: Fetch, _ flight: Flight) async {
        let writer = cache.beginBody()
        let shared = SharedBody(writer)
        let timer = Task {
            try await clock.sleep(for: limits.startTime)
            flight.resolve(.arriving(exchange, shared))
        }
        defer { timer.cancel() }
        do {
            let isStored = try await receive(body, into: shared, writer, exchange, flight)
            if let part = exchange.response.receivedPart {
                if isStored { keep(part.range, of: part.length, exchange, writer, fetch) }
                flight.resolve(.arriving(exchange, shared))
                return shared.finish(.complete)
            }
            guard isStored, let variant = keep(exchange, writer, fetch) else {
                flight.resolve(.arriving(exchange, shared))
                return shared.finish(.complete)
            }
            let passed = variant.passingOn(exchange.response, cache.policy)
            flight.resolve(.kept(passed, status: exchange.response.status.code, isConfirmed: false))
            shared.finish(.complete)
        } catch {
            let error =
                error as? BundleError
                ?? BundleError(.networkUnavailable, "\(Printable.text(fetch.url)) broke off", cause: error)
            flight.resolve(.failed(error))
            shared.finish(.failed(error))
        }
    }

    /// Returns whether the body can be stored.
    private func receive(
        _ body: BodyStream,
        into shared: SharedBody,
        _ spool: CachedBodyWriter,
        _ exchange: OriginExchange,
        _ flight: Flight
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
                giveUpStoring(exchange, shared, flight)
            }
            // What is too long is spooled only so that clients needn't wait for each other.
            if isSpooled, !(isStorable || flight.ticketCount > 1) || (try? spool.append(chunk)) == nil {
                (isStorable, isSpooled) = (false, false)
                giveUpStoring(exchange, shared, flight)
                await shared.waitForRoom()
            }
            try Task.checkCancellation()
            shared.append(chunk, isSpooled: isSpooled)
            if shared.byteCount > limits.startByteCount { flight.resolve(.arriving(exchange, shared)) }
        }
        if let length, Int64(shared.byteCount) != length { throw Self.wrongLength }
        return isStorable
    }

    private static let wrongLength =
        BundleError(.networkUnavailable, "the response isn't as long as its Content-Length says; check the server")

    /// From now on the body is of use only to the clients that read it already.
    private func giveUpStoring(_ exchange: OriginExchange, _ shared: SharedBody, _ flight: Flight) {
        flight.goOn { false }
        flight.resolve(.arriving(exchange, shared))
        flight.isClosed = true
    }

    private func keep(_ exchange: OriginExchange, _ spool: CachedBodyWriter, _ fetch: Fetch) -> CachedVariant? {
        cache.keep(exchange, key: fetch.key, body: spool, under: fetch.release)
    }

    /// Keeps a part, with those of the same content that are stored (RFC 9111 §3.4).
    private func keep(
        _ range: Range<Int64>,
        of length: Int64?,
        _ exchange: OriginExchange,
        _ spool: CachedBodyWriter,
        _ fetch: Fetch
    ) {
        _ = cache.keepPart(
            exchange,
            key: fetch.key,
            range: range,
            completeLength: length,
            body: spool,
            under: fetch.release
        )
    }
}
