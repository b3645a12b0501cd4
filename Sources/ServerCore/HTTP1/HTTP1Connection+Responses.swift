import BundleModel
import HTTPCore
import HTTPTypes
import Logging
import NIOCore

/// Sending responses.
extension HTTP1Connection {
    /// How many bytes of a body are sent with the head; the rest is sent as the client takes it.
    private static let maximumJoinedByteCount = 64 << 10
    /// How many bytes of a body are copied at a time.
    private static let batchByteCount = 64 << 10
    /// How many batches are sent before other connections get their turn.
    private static let maximumBatchCount = 16

    /// The message for a ready response; nil when its content can't be read.
    func message(_ form: ReadyForm, _ exchange: HTTP1Exchange, _ context: ChannelHandlerContext) -> HTTP1Message? {
        guard case .http1(let head) = form.head else { return nil }
        let content = form.body.map { ResponseBody([$0]) } ?? .empty
        let tally = shared.tallies?.tally(of: form)
        return message(head, form.part, content, form.status, form.source, tally, exchange, context)
    }

    /// The message for a response; nil when its content can't be read.
    func message(
        _ response: Response,
        _ source: ResponseSource,
        _ exchange: HTTP1Exchange,
        _ context: ChannelHandlerContext
    ) -> HTTP1Message? {
        let head = HTTP1Head(exchange.framed(response.head), minorVersion: exchange.minorVersion)
        let status = response.head.status.code
        let tally = shared.tallies?.tally(source, status: status)
        return message(head, nil, response.body, status, source, tally, exchange, context)
    }

    private func message(
        _ head: HTTP1Head,
        _ part: ContentPart?,
        _ content: ResponseBody,
        _ status: Int,
        _ source: ResponseSource,
        _ tally: ResponseTally?,
        _ exchange: HTTP1Exchange,
        _ context: ChannelHandlerContext
    ) -> HTTP1Message? {
        var chunks = BodyChunks(content)
        let joinedCount = min(chunks.remainingByteCount, Self.maximumJoinedByteCount)
        var bytes = context.channel.allocator.buffer(
            capacity: head.byteCount + HTTP1Head.maximumPartByteCount + 32 + joinedCount
        )
        write(head, part, exchange, to: &bytes)
        // Copied before the head is sent, since only copying shows whether it can be read.
        chunks.write(upTo: joinedCount, to: &bytes)
        guard !chunks.hasFaulted else { return nil }
        return HTTP1Message(
            bytes: bytes,
            rest: chunks.remainingByteCount > 0 ? chunks : nil,
            status: status,
            bodyByteCount: joinedCount,
            source: source,
            tally: tally
        )
    }

    private func write(_ head: HTTP1Head, _ part: ContentPart?, _ exchange: HTTP1Exchange, to bytes: inout ByteBuffer) {
        shared.date.update()
        shared.date.value.withUnsafeBytes { date in
            _ = bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: head.byteCount) { target in
                guard let target = target.baseAddress else { return 0 }
                head.copy(date: date, to: target)
                return head.byteCount
            }
        }
        if let part { bytes.writeBytes(part.lines) }
        if exchange.isChunked { bytes.writeStaticString("Transfer-Encoding: chunked\r\n") }
        if isDraining || exchange.closes(beforeContentOf: stream.remainingByteCount) {
            exchange.closesConnection = true
        }
        bytes.writeStaticString(exchange.closesConnection ? "Connection: close\r\n\r\n" : "\r\n")
    }

    func send(
        _ response: Response,
        _ source: ResponseSource,
        _ exchange: HTTP1Exchange,
        _ context: ChannelHandlerContext
    ) {
        if let message = message(response, source, exchange, context) { return send(message, exchange, context) }
        let lost = exchange.request.map(settings.responder.lost)
        guard let lost, let message = message(lost, source, exchange, context) else { return context.channel.reset() }
        send(message, exchange, context)
    }

    func send(_ message: HTTP1Message, _ exchange: HTTP1Exchange, _ context: ChannelHandlerContext) {
        exchange.note(message.status, message.source, message.tally)
        exchange.sentByteCount = message.bodyByteCount
        write(message.bytes, context)
        guard let rest = message.rest else { return finish(exchange, context) }
        exchange.body = .stored(rest)
        sendBody(context)
    }

    func write(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        if pendingWriteCount == 0 { writtenAt = context.eventLoop.now }
        pendingWriteCount += 1
        let isWritten = context.eventLoop.makePromise(of: Void.self)
        isWritten.futureResult.assumeIsolated().whenComplete { [self] _ in
            pendingWriteCount -= 1
            writtenAt = context.eventLoop.now
            guard pendingWriteCount == 0 else { return }
            activeAt = writtenAt
            if let exchange, exchange.isOutputDone { endTunnelOutput(exchange, context) }
            if phase == .lingering { closeOutput(context) } else if isPlain { comeBack(context) }
        }
        context.write(wrapOutboundOut(bytes), promise: isWritten)
    }

    /// Sends as much of the body as is available and the client takes.
    func sendBody(_ context: ChannelHandlerContext) {
        guard !isSendingBody, let exchange else { return }
        phase = .sending
        isSendingBody = true
        let isWhole = sendBatches(exchange, context)
        isSendingBody = false
        guard isWhole, self.exchange === exchange else { return }
        if exchange.isTunnel { finishTunnelOutput(exchange, context) } else { finish(exchange, context) }
    }

    /// Returns whether the whole body has been sent.
    private func sendBatches(_ exchange: HTTP1Exchange, _ context: ChannelHandlerContext) -> Bool {
        for _ in 0..<Self.maximumBatchCount {
            // Flushing may make room immediately; NIO then reports it during this call and not again.
            if !context.channel.isWritable { context.flush() }
            guard context.channel.isWritable, self.exchange === exchange, phase == .sending else { return false }
            guard case .bytes(let count, let isEnd) = exchange.body.readiness(upTo: Self.batchByteCount) else {
                context.flush()
                return false
            }
            guard sendBatch(count, isEnd: isEnd, exchange, context) else { return false }
            context.flush()
            // The client may have disconnected.
            guard self.exchange === exchange, phase == .sending else { return false }
            if isEnd { return true }
        }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.execute {
            let (connection, context) = bound.value
            guard connection.phase == .sending else { return }
            connection.sendBody(context)
            // Behind the end of the body there may be short responses to what has been asked meanwhile.
            context.flush()
        }
        return false
    }

    /// Returns false when the content can't be read; then the connection is reset.
    private func sendBatch(
        _ count: Int,
        isEnd: Bool,
        _ exchange: HTTP1Exchange,
        _ context: ChannelHandlerContext
    ) -> Bool {
        var bytes = context.channel.allocator.buffer(capacity: count + 32)
        if exchange.isChunked, count > 0 { bytes.writeString("\(String(count, radix: 16))\r\n") }
        exchange.body.write(count, to: &bytes)
        guard !exchange.body.hasFaulted else {
            settings.logger.notice("\(Printable.text(exchange.path)) was cut short: its content is damaged")
            context.channel.reset()
            return false
        }
        if exchange.isChunked {
            if count > 0 { bytes.writeStaticString("\r\n") }
            if isEnd { Self.writeEnd(exchange.body.trailers, to: &bytes) }
        }
        exchange.sentByteCount += count
        if bytes.readableBytes > 0 { write(bytes, context) }
        return true
    }

    /// The last chunk and the trailer section (RFC 9112 §7.1), which a client that has no use for it ignores (RFC 9110
    /// §6.5.1).
    private static func writeEnd(_ trailers: HTTPFields, to bytes: inout ByteBuffer) {
        bytes.writeStaticString("0\r\n")
        bytes.writeFields(trailers)
        bytes.writeStaticString("\r\n")
    }

    /// Ends an exchange whose response is complete.
    func finish(_ exchange: HTTP1Exchange, _ context: ChannelHandlerContext) {
        finishRecord(of: exchange)
        // What still fetches for the cache may keep the exchange.
        exchange.waiting = nil
        // What nobody has read is discarded.
        exchange.content?.fail()
        self.exchange = nil
        phase = .receiving
        activeAt = context.eventLoop.now
        if let refusal {
            self.refusal = nil
            refuse(with: refusal, context)
        } else if exchange.closesConnection || isDraining {
            linger(context)
        } else {
            process(context)
        }
    }

    func finishRecord(of exchange: HTTP1Exchange) {
        exchange.count.finish(byteCount: exchange.sentByteCount, in: shared.tallies)
        guard let record = exchange.record else { return }
        exchange.record = nil
        settings.recorder.record(record.finished(byteCount: exchange.sentByteCount))
    }

    /// Notes the response that is sent.
    func note(_ status: Int, _ source: ResponseSource, of exchange: HTTP1Exchange) {
        exchange.note(status, source, shared.tallies?.tally(source, status: status))
    }

    /// Sends a last response that says why the connection ends.
    func refuse(with response: Response, _ context: ChannelHandlerContext) {
        let response = settings.responder.refusal(response, of: nil)
        settings.recorder.record(
            refusal: response,
            in: shared.tallies,
            from: client(context),
            at: shared.date.now()
        )
        sendLast(response, context)
    }

    /// Ends an exchange whose response is awaited, with one that says why the connection ends.
    func refuse(_ exchange: HTTP1Exchange, with response: Response, _ context: ChannelHandlerContext) {
        let response = settings.responder.refusal(
            exchange.isHead ? response.withoutBody : response,
            of: exchange.request
        )
        note(response.head.status.code, ResponseSource(.server), of: exchange)
        exchange.sentByteCount = response.body.byteCount
        finishRecord(of: exchange)
        exchange.cancel()
        self.exchange = nil
        sendLast(response, context)
    }

    private func sendLast(_ response: Response, _ context: ChannelHandlerContext) {
        shared.date.update()
        var bytes = ByteBuffer(
            bytes: shared.date.value.withUnsafeBytes { HTTP1Head(response.head).bytes(date: $0) }
        )
        bytes.writeStaticString("Connection: close\r\n\r\n")
        bytes.writeBytes(response.body.array)
        write(bytes, context)
        linger(context)
    }

    /// Ends the connection once everything is written, and waits a limited time for the client to close it.
    func linger(_ context: ChannelHandlerContext) {
        guard phase != .lingering else { return }
        phase = .lingering
        received = ByteBuffer()
        resumeReading(context)
        context.flush()
        if pendingWriteCount == 0 { closeOutput(context) }
    }

    /// Closes the sending side; everything is written.
    private func closeOutput(_ context: ChannelHandlerContext) {
        guard !isOutputClosed else { return }
        isOutputClosed = true
        if hasInputEnded {
            // In a turn of its own: while NIO tells that all is written it writes nothing, and TLS has to say that this
            // is the end (RFC 9112 §9.8).
            return context.eventLoop.execute { [channel = context.channel] in channel.close(promise: nil) }
        }
        scheduleWatch(context, after: TimeAmount(ServerLimits.linger))
        context.close(mode: .output, promise: nil)
    }
}

/// Relaying bodies from an origin.
extension HTTP1Connection {
    func relay(
        _ head: HTTPResponse,
        _ body: BodyStream,
        _ source: ResponseSource,
        _ exchange: HTTP1Exchange,
        _ context: ChannelHandlerContext
    ) {
        note(head.status.code, source, of: exchange)
        exchange.isEventStream = head.isEventStream
        let head = HTTP1Head(exchange.framed(head), minorVersion: exchange.minorVersion)
        var bytes = context.channel.allocator.buffer(capacity: head.byteCount + 64)
        write(head, nil, exchange, to: &bytes)
        write(bytes, context)
        relay(body, exchange, context)
    }

    /// Sends what arrives, behind the head.
    func relay(_ body: BodyStream, _ exchange: HTTP1Exchange, _ context: ChannelHandlerContext) {
        let relayed = RelayedContent()
        exchange.body = .relayed(relayed)
        phase = .sending
        let (path, loop) = (exchange.path, context.eventLoop)
        exchange.task = relayed.relay(body, of: path, on: loop, shared.executor, settings.logger) {
            // The client may be gone.
            guard self.exchange === exchange else { return }
            // It must not take a part for the whole.
            guard !relayed.isCut else { return context.channel.reset() }
            self.sendBody(context)
            // Requests behind this one may have had their responses by now.
            context.flush()
        }
    }
}

extension HTTP1Exchange {
    /// For logs.
    var path: String { request?.path ?? record?.target ?? "a response" }
}

extension ByteBuffer {
    /// Writes field lines (RFC 9112 §5).
    mutating func writeFields(_ fields: HTTPFields) {
        for field in fields {
            writeString(field.name.rawName)
            writeStaticString(": ")
            // As they are: they need not be UTF-8 (RFC 9110 §5.5).
            _ = field.withUnsafeBytesOfValue { writeBytes($0) }
            writeStaticString("\r\n")
        }
    }
}
