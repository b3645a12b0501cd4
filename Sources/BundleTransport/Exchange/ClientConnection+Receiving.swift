import HTTPCore
import HTTPTypes
import NIOCore

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
