import BundleModel
import HTTPCore
import HTTPTypes
import NIOCore

/// Receiving requests.
extension HTTP1Connection {
    /// What the received bytes begin with.
    private enum Step {
        /// An incomplete head.
        case incomplete
        /// A malformed request.
        case refused(Response)
        /// A request whose response is complete.
        case responded(RequestHead, HTTP1Exchange, HTTP1Message)
        /// A request that the view can't express.
        case asking(RequestHead, HTTP1Exchange, HTTPRequest)
        /// A request whose response has to be awaited.
        case begun(RequestHead, HTTP1Exchange, BegunRequest)
    }

    /// Responds to the requests received, until a response has to be awaited, the client must take earlier responses
    /// first, or no complete request is left.
    func process(_ context: ChannelHandlerContext) {
        // Finishing a response calls this method again.
        guard !isProcessing else { return }
        isProcessing = true
        defer { isProcessing = false }
        var isInHead = false
        passContent(context)
        while phase == .receiving, stream.isAtHead, received.readableBytes > 0, context.channel.isWritable {
            guard take(nextStep(context), context) else {
                isInHead = true
                break
            }
            passContent(context)
        }
        if received.readableBytes == 0 { received = ByteBuffer() }
        // What a responder reads is measured by its pace.
        noteAwaited(isInHead ? .head : stream.isAtHead || exchange?.content != nil ? nil : .content, context)
        // No further request can arrive: what is there is nothing, or an incomplete one.
        let isIncomplete = isInHead || received.readableBytes == 0 || !stream.isAtHead
        if hasInputEnded, phase == .receiving, isIncomplete { linger(context) }
        resumeReading(context)
    }

    private func noteAwaited(_ part: Awaited?, _ context: ChannelHandlerContext) {
        guard part != awaited?.part else { return }
        awaited = part.map { ($0, context.eventLoop.now) }
    }

    /// Returns false when more bytes are needed.
    private func take(_ step: Step, _ context: ChannelHandlerContext) -> Bool {
        switch step {
        case .incomplete: return false
        case .refused(let response): refuse(with: response, context)
        case .responded(let head, let exchange, let message):
            guard begin(exchange, head, context) else { return true }
            isPlain = true
            send(message, exchange, context)
        case .asking(let head, let exchange, let request):
            guard begin(exchange, head, context) else { return true }
            ask(request, exchange, context)
        case .begun(let head, let exchange, let begun):
            guard begin(exchange, head, context) else { return true }
            wait(for: begun, exchange, context)
        }
        return true
    }

    /// Consumes a request's head. Returns false when there are too many requests.
    private func begin(_ exchange: HTTP1Exchange, _ head: RequestHead, _ context: ChannelHandlerContext) -> Bool {
        // The next head has a time limit of its own.
        awaited = nil
        guard rate.count(at: activeAt, limit: settings.limits.requestsPerSecond) else {
            refuse(with: exchange.isHead ? Overload.requests.response.withoutBody : Overload.requests.response, context)
            return false
        }
        received.moveReaderIndex(forwardBy: head.byteCount)
        stream.pass(head, limits: settings.limits.head)
        discardedByteCount = 0
        self.exchange = exchange
        return true
    }

    private func nextStep(_ context: ChannelHandlerContext) -> Step {
        received.withUnsafeReadableBytes { bytes in
            switch scanner.scan(bytes) {
            case .incomplete: return .incomplete
            case .complete(let head): return step(head, bytes, context)
            case .malformed(let problem): return refused(problem, bytes)
            // The connection was set up for HTTP/1.
            case .http2: return refused(.version, bytes)
            }
        }
    }

    private func refused(_ problem: MalformedRequest, _ bytes: UnsafeRawBufferPointer) -> Step {
        .refused(RequestHeadScanner.isForHead(bytes) ? problem.response.withoutBody : problem.response)
    }

    private func step(_ head: RequestHead, _ bytes: UnsafeRawBufferPointer, _ context: ChannelHandlerContext) -> Step {
        let exchange = HTTP1Exchange(head, record: record(of: head, bytes, context))
        if let begun {
            self.begun = nil
            return .begun(head, exchange, begun)
        }
        if head.isPlain {
            let view = head.view(of: bytes)
            let outcome = shared.core.respond(to: view, as: .http1, on: info) {
                () throws(MalformedRequest) in try HTTPRequest(head, in: bytes)
            }
            switch outcome {
            case .malformed(let problem): return refused(problem, bytes)
            case .ready(let form):
                if let message = message(form, exchange, context) { return .responded(head, exchange, message) }
            case .single(let response, let source):
                if let message = message(response, source, exchange, context) {
                    return .responded(head, exchange, message)
                }
            case .waiting(let begun): return .begun(head, exchange, begun)
            }
        }
        do throws(MalformedRequest) {
            return .asking(head, exchange, try HTTPRequest(head, in: bytes))
        } catch {
            return refused(error, bytes)
        }
    }

    private func record(
        of head: RequestHead,
        _ bytes: UnsafeRawBufferPointer,
        _ context: ChannelHandlerContext
    ) -> PendingRecord? {
        settings.recorder.begin(at: shared.date.now()) {
            AccessRecord(head, in: bytes, from: client(context), at: $0)
        }
    }

    func client(_ context: ChannelHandlerContext) -> LogText { LogText(context.channel.remoteAddress?.ipAddress) }

    /// Passes a request to the responder, whose response may have to be awaited.
    private func ask(_ request: HTTPRequest, _ exchange: HTTP1Exchange, _ context: ChannelHandlerContext) {
        exchange.request = request
        isPlain = false
        switch settings.responder.begin(request, on: info) {
        case .complete(let response, let source, _): send(response, source, exchange, context)
        case .waiting(let rest): wait(for: BegunRequest(request: request, response: rest), exchange, context)
        }
    }

    private func wait(for begun: BegunRequest, _ exchange: HTTP1Exchange, _ context: ChannelHandlerContext) {
        exchange.request = begun.request
        isPlain = false
        guard let place = settings.waiting.acquire(for: context.channel.remoteAddress?.peer) else {
            let response = settings.responder.refusal(Overload.waitingRequests.response, of: begun.request)
            return send(
                exchange.isHead ? response.withoutBody : response,
                ResponseSource(.server),
                exchange,
                context
            )
        }
        exchange.waiting = (place, permit?.use())
        phase = .waiting
        let client = client(of: exchange, context)
        let bound = NIOLoopBound((self, context, exchange), eventLoop: context.eventLoop)
        exchange.task = Task(executorPreference: shared.executor) {
            let response = await begun.response(client)
            let (connection, context, exchange) = bound.value
            connection.deliver(response, exchange, context)
            // Also if the exchange is over and the task wasn't.
            withExtendedLifetime(place) {}
        }
        limitWaiting(context)
    }

    /// The client's side of an exchange, for the responder.
    private func client(of exchange: HTTP1Exchange, _ context: ChannelHandlerContext) -> ClientExchange {
        let loop = context.eventLoop
        if !stream.isAtHead { exchange.content = content(of: exchange, context) }
        let bound = NIOLoopBound((self, context, exchange), eventLoop: loop)
        return ClientExchange(
            content: exchange.content?.stream,
            executor: shared.executor,
            address: context.channel.remoteAddress?.peer
        ) { head in
            loop.runNow {
                let (connection, context, exchange) = bound.value
                connection.sendInterim(head, exchange, context)
            }
        }
    }

    /// A client that has ended its side may still read the response, or may be gone, which shows only when something is
    /// sent. So the response is awaited for a moment. An event stream is ended at once: who wants its events stays, and
    /// the place of one that is gone isn't kept until the next event.
    func limitWaiting(_ context: ChannelHandlerContext) {
        guard hasInputEnded, let exchange else { return }
        if phase == .sending, exchange.isEventStream { return abandon(context) }
        guard phase == .waiting else { return }
        abandonment?.cancel()
        abandonment = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(settings.limits.halfClosedWait)) {
            [self] in
            if self.exchange === exchange, phase == .waiting || exchange.isEventStream { abandon(context) }
        }
    }

    /// Ends a connection whose client is gone, before its response can be delivered.
    func abandon(_ context: ChannelHandlerContext) {
        if let exchange {
            finishRecord(of: exchange)
            self.exchange = nil
            exchange.cancel()
        }
        context.close(promise: nil)
    }

    private func deliver(_ response: ServedResponse, _ exchange: HTTP1Exchange, _ context: ChannelHandlerContext) {
        // The client may have disconnected.
        guard self.exchange === exchange else { return }
        phase = .receiving
        switch response {
        case .complete(let response, let source):
            exchange.waiting?.permit = nil
            send(response, source, exchange, context)
        case .streaming(let head, let body, let source): relay(head, body, source, exchange, context)
        case .switching(let head, let tunnel, let source): open(tunnel, head, source, exchange, context)
        }
        process(context)
        // Behind the first part of a body that has arrived with its head, so that both are written at once.
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.eventLoop.execute { bound.value.flush() }
    }
}

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
