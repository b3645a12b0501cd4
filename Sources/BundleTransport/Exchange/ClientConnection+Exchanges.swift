import HTTPCore
import HTTPTypes
import NIOCore

extension ClientConnection {
    /// How much of a response that nobody reads is received for the sake of the connection.
    private static let maximumDrainedByteCount = 16 << 10

    /// Sends a request. Its response fails if the connection was closed in the meantime.
    func start(_ request: EncodedRequest, _ response: PendingResponse) {
        guard phase == .idle, let context else {
            return response.fail(ExchangeFailure(cause: ConnectionProblem.closed, progress: .notSent))
        }
        guard !response.isOver else { return becomeIdle() }
        if hasBeenUsed, !request.canBeRepeatedOnceSent, context.channel.isClosedByPeer {
            close()
            return response.fail(ExchangeFailure(cause: ConnectionProblem.closed, progress: .notSent))
        }
        hasBeenUsed = true
        phase = .exchanging
        let exchange = Exchange(request: request, response: response)
        self.exchange = exchange
        scanner.expectResponse(toHead: request.isHead, mayUpgrade: request.mayUpgrade)
        context.writeAndFlush(wrapOutboundOut(request.head), promise: nil)
        guard phase == .exchanging else { return }
        exchange.progress = .sent
        if exchange.upload == .awaitingContent { sendContent() }
        updateDeadline()
    }

    /// Ends the exchange with its response.
    ///
    /// - Parameter canContinue: Whether another request may be sent.
    func finish(_ trailers: HTTPFields, canContinue: Bool) {
        guard let ended = exchange else { return }
        exchange = nil
        ended.contentTask?.cancel()
        let isKept =
            canContinue && ended.head?.keepsConnection == true && ended.request.keepsConnection
            && ended.upload == .complete
        if isKept { becomeIdle() }
        ended.batch.end = trailers
        _ = ended.response?.deliver(ended.batch)
        if !isKept { close() }
    }

    private func becomeIdle() {
        phase = .idle
        resumeReading()
        pool.release(self)
    }

    /// Ends the exchange with an error, and closes the connection.
    func fail(_ error: any Error) {
        let failed = exchange
        exchange = nil
        close()
        guard let failed else { return }
        failed.contentTask?.cancel()
        if !failed.batch.isEmpty { _ = failed.response?.deliver(failed.batch) }
        let progress = failed.contentTask == nil ? failed.progress : .received
        failed.response?.fail(failed.head == nil ? ExchangeFailure(cause: error, progress: progress) : error)
    }

    /// Closes the connection, if the exchange is the one of a response.
    func cancel(_ response: PendingResponse) {
        if exchange?.response === response { fail(CancellationError()) }
    }

    /// Discards the rest of a response that nobody reads if it is short, and closes the connection otherwise.
    func abandon(_ response: PendingResponse) {
        guard exchange?.response === response else { return }
        guard let rest = scanner.remainingByteCount, rest <= Self.maximumDrainedByteCount,
            exchange?.upload == .complete
        else { return fail(CancellationError()) }
        phase = .draining
        exchange?.response = nil
        resumeReading()
    }

    /// The other protocol's bytes end here; the direction to the origin may stay open.
    func finishIncoming() {
        guard let ended = exchange, ended.isTunnel else { return fail(ConnectionProblem.closed) }
        var batch = ResponseBatch()
        batch.end = [:]
        _ = ended.response?.deliver(batch)
        if ended.hasEndedOutput { close() }
    }
}

// MARK: - Back-pressure

extension ClientConnection {
    /// Reads no more until the content that has arrived is consumed.
    func pauseReading() { isPaused = true }

    /// Reads on, if the exchange is the one of a response.
    func resumeReading(of response: PendingResponse) {
        if exchange?.response === response { resumeReading() }
    }

    private func resumeReading() {
        isPaused = false
        updateDeadline()
        guard isReadHeld else { return }
        isReadHeld = false
        context?.read()
    }
}
