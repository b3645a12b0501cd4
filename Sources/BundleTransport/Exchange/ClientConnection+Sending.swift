import HTTPTypes
import NIOCore

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
