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

extension ClientConnection {
    /// Begins to read the content, and to send it.
    func sendContent() {
        guard let exchange, let response = exchange.response, let content = exchange.request.content else { return }
        self.exchange?.upload = .awaitingContent
        let upload = ContentUpload(
            content: content,
            framing: exchange.request.framing,
            connection: self,
            response: response
        )
        self.exchange?.contentTask = Task { await upload.run() }
    }

    /// Writes bytes, and returns when the system has taken them.
    ///
    /// - Parameter isLast: Whether the content ends with them.
    /// - Throws: NIO's errors, when the connection or the exchange has ended.
    func write(
        _ bytes: [UInt8],
        asChunk isChunk: Bool = false,
        isLast: Bool = false,
        of response: PendingResponse
    ) async throws {
        var buffer = ByteBufferAllocator().buffer(capacity: bytes.count + 20)
        if isChunk { buffer.writeString(String(bytes.count, radix: 16) + "\r\n") }
        buffer.writeBytes(bytes)
        if isChunk { buffer.writeStaticString("\r\n") }
        try await write(buffer, isLast: isLast, of: response)
    }

    /// Writes bytes, and returns when the system has taken them.
    ///
    /// - Parameter isLast: Whether the content ends with them.
    func write(_ buffer: ByteBuffer, isLast: Bool = false, of response: PendingResponse) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            loop.runNow { [self] in
                write(buffer, isLast, of: response).whenComplete { continuation.resume(with: $0) }
            }
        }
    }

    private func write(
        _ buffer: ByteBuffer,
        _ isLast: Bool,
        of response: PendingResponse
    ) -> EventLoopFuture<Void> {
        guard exchange?.response === response, let context else {
            return loop.makeFailedFuture(ChannelError.ioOnClosedChannel)
        }
        let isContent = exchange?.isTunnel == false
        if isContent { exchange?.upload = .writing }
        let written = context.writeAndFlush(wrapOutboundOut(buffer))
        if isContent { updateDeadline() }
        return written.map { [self] in
            guard exchange?.response === response, exchange?.upload == .writing else { return }
            // Noted here: the response may be read before the task that sends the content runs again.
            exchange?.upload = isLast ? .complete : .awaitingContent
            updateDeadline()
        }
    }

    /// The content has been sent completely.
    func finishContent(of response: PendingResponse) {
        guard exchange?.response === response else { return }
        exchange?.upload = .complete
        updateDeadline()
    }

    /// The content can't be read any further.
    func failContent(_ error: any Error, of response: PendingResponse) {
        if exchange?.response === response { fail(error) }
    }

    /// Ends the direction to the origin of a connection with another protocol.
    func endOutput(of response: PendingResponse) {
        guard exchange?.response === response else { return }
        exchange?.hasEndedOutput = true
        if response.isOver { close() } else { context?.close(mode: .output, promise: nil) }
    }
}

extension ClientConnection {
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard phase != .closed else { return }
        var received = unwrapInboundIn(data)
        if waiting.readableBytes == 0 { waiting = received } else { waiting.writeBuffer(&received) }
        let isFirst = exchange?.progress == .sent
        exchange?.progress = .received
        var end: HTTPFields?
        do throws(MalformedResponse) {
            end = try scan()
        } catch {
            return fail(error)
        }
        // Releases the memory of the bytes that have been read.
        if waiting.readableBytes == 0 { waiting = ByteBuffer() }
        // Bytes behind the end can't belong to the response to a later request.
        if let end { return finish(end, canContinue: waiting.readableBytes == 0) }
        deliver(isFirst: isFirst)
    }

    /// Reads all that has arrived. Returns the trailer fields at the end of the response.
    private func scan() throws(MalformedResponse) -> HTTPFields? {
        let result = waiting.withUnsafeReadableBytes { bytes in
            var taken = 0
            let end = Result { () throws(MalformedResponse) -> HTTPFields? in
                while let event = try scanner.next(bytes, &taken) {
                    if case .end(let trailers) = event { return trailers }
                    take(event, in: bytes)
                }
                return nil
            }
            return (end, taken)
        }
        waiting.moveReaderIndex(forwardBy: result.1)
        return try result.0.get()
    }

    private func take(_ event: ResponseEvent, in bytes: UnsafeRawBufferPointer) {
        switch event {
        case .interim(let head): takeInterim(head)
        case .head(let head):
            exchange?.head = head
            exchange?.batch.head = head
            prepareForLongLife()
        case .content(let range):
            guard let exchange, exchange.response != nil else { return }
            exchange.batch.content += UnsafeRawBufferPointer(rebasing: bytes[range])
        case .end: break
        }
    }

    private func takeInterim(_ head: HTTPResponse) {
        if exchange?.upload == .awaitingContinue, head.status.code == 100 { sendContent() }
        if head.status.code != 100 { exchange?.request.onInterim?(head) }
        updateDeadline()
    }

    private func deliver(isFirst: Bool) {
        guard phase == .exchanging, let exchange else { return }
        // The deadline of a head doesn't move with each of its bytes.
        if exchange.head != nil || isFirst { updateDeadline() }
        guard !exchange.batch.isEmpty else { return }
        let batch = exchange.batch
        exchange.batch = ResponseBatch()
        guard exchange.response?.deliver(batch) == true else { return }
        pauseReading()
        updateDeadline()
    }

    private func prepareForLongLife() {
        guard let exchange, exchange.isLongLived, let channel = context?.channel else { return }
        channel.keepAlive()
        // Each direction of another protocol ends on its own.
        if exchange.isTunnel { try? channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: true) }
    }
}
