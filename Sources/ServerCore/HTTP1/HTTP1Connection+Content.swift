import HTTPCore
import HTTPTypes
import NIOCore

/// Receiving request content, and sending interim responses.
extension HTTP1Connection {
    /// How many bytes are passed to a reader at a time.
    private static let batchByteCount = 64 << 10

    /// The content of a request, received only as fast as it is read.
    func content(of exchange: HTTP1Exchange, _ context: ChannelHandlerContext) -> RequestContent {
        RequestContent(on: context.eventLoop) { [self] in
            guard self.exchange === exchange else { return }
            if !exchange.isTunnel { exchange.pace.want(at: context.eventLoop.now) }
            if exchange.takeExpectation() { sendContinue(exchange, context) }
            process(context)
            context.flush()
        }
    }

    /// Passes content on as it is read, also while the response is under way; what nobody reads is discarded.
    func passContent(_ context: ChannelHandlerContext) {
        while !stream.isAtHead, received.readableBytes > 0 {
            let content = exchange?.content
            if let content, !content.isWanted, !content.isEnded { break }
            guard passBatch(content, context) else { break }
        }
        if hasInputEnded { endContent(context) }
    }

    /// Returns false when more bytes are needed, or no further ones.
    private func passBatch(_ content: RequestContent?, _ context: ChannelHandlerContext) -> Bool {
        var bytes: [UInt8] = []
        let isRead = content?.isWanted == true
        let result = received.withUnsafeReadableBytes { received in
            Result { () throws(MalformedRequest) in
                try stream.passContent(received, atMost: Self.batchByteCount) { if isRead { bytes += $0 } }
            }
        }
        switch result {
        case .failure(let problem):
            refuseContent(problem, context)
            return false
        case .success(let passed):
            received.moveReaderIndex(forwardBy: passed.byteCount)
            if !bytes.isEmpty {
                exchange?.pace.take(bytes.count, at: context.eventLoop.now)
                content?.deliver(bytes)
            }
            if let trailers = passed.trailers { content?.end(trailers) }
            return isRead ? passed.byteCount > 0 : discard(passed, context)
        }
    }

    /// Counts discarded content. Returns whether there may be more of it.
    private func discard(_ passed: RequestStream.Passed, _ context: ChannelHandlerContext) -> Bool {
        discardedByteCount += passed.contentByteCount
        guard discardedByteCount <= HTTP1Exchange.maximumDiscardedByteCount else {
            dropInput(context)
            return false
        }
        return passed.byteCount > 0
    }

    /// Reads no further request: where it would begin isn't known, or is too far away.
    private func dropInput(_ context: ChannelHandlerContext) {
        stream.end()
        exchange?.closesConnection = true
        exchange?.content?.fail()
        if phase == .receiving { linger(context) }
    }

    private func refuseContent(_ problem: MalformedRequest, _ context: ChannelHandlerContext) {
        dropInput(context)
        if phase == .waiting, let exchange { refuse(exchange, with: problem.response, context) }
    }

    /// The client has ended its side: of a tunnel, that is the end, and of content, the rest won't come.
    private func endContent(_ context: ChannelHandlerContext) {
        guard let content = exchange?.content, !content.isEnded else { return }
        if stream.isTunnel {
            if received.readableBytes == 0 { content.end() }
        } else if content.isWanted, !stream.isAtHead {
            exchange?.closesConnection = true
            if phase == .waiting { abandon(context) } else { content.fail() }
        }
    }

    /// Ends a request whose content hasn't come in time.
    func giveUpContent(of exchange: HTTP1Exchange, _ context: ChannelHandlerContext) {
        dropInput(context)
        if phase == .waiting { refuse(exchange, with: Overload.requestTime.response, context) }
    }

    // MARK: - Interim responses

    private func sendContinue(_ exchange: HTTP1Exchange, _ context: ChannelHandlerContext) {
        // What has come already needs no invitation (RFC 9110 §10.1.1).
        guard phase == .waiting, received.readableBytes == 0 else { return }
        write(ByteBuffer(staticString: "HTTP/1.1 100 Continue\r\n\r\n"), context)
    }

    /// Sends an interim response (RFC 9110 §15.2), unless the final one has begun or the client takes nothing.
    func sendInterim(_ head: HTTPResponse, _ exchange: HTTP1Exchange, _ context: ChannelHandlerContext) {
        guard self.exchange === exchange, phase == .waiting, exchange.minorVersion == 1, context.channel.isWritable,
            head.isInterim
        else { return }
        // A client that waits for this one gets it once.
        if head.status == .continue, !exchange.takeExpectation() { return }
        var bytes = ByteBuffer(string: "HTTP/1.1 \(head.status.code) \(head.status.standardReasonPhrase)\r\n")
        bytes.writeFields(head.headerFields.asInterim)
        bytes.writeStaticString("\r\n")
        write(bytes, context)
        context.flush()
    }
}
