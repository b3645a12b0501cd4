import BundleNetwork
import BundleServing
import BundleStore
import HTTPTypes
import Logging
import NIOCore

/// Serves one HTTP/2 connection on its event loop: what the bundles have is answered in the turn in which it was asked for.
final class HTTP2Connection: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum State {
        case serving
        /// The last bytes are sent, and what still comes is thrown away: closing at once would make the client's system
        /// drop them unread.
        case lingering
    }

    /// How many batches are sent before other connections get their turn.
    private static let maximumBatchCount = 16
    /// How many responses are being made at once that the bundles don't have. One takes many times the memory of a request that
    /// waits, and HTTP/1 makes one at a time.
    private static let maximumUnderwayCount = 16
    private let session: HTTP2Session
    private let settings: ChannelSettings
    private let shared: LoopShare
    private var state = State.serving
    private var isFlushing = false
    private var wantsRead = false
    /// Since when the client's system takes nothing.
    private var blockedSince: NIODeadline?
    private var port: Int?
    private var client: SocketAddress?
    private var watch: Scheduled<Void>?
    /// The requests whose turn it isn't yet, and how many responses are being made.
    private var pending = CircularBuffer<PendingRequest>()
    private var underwayCount = 0

    private struct PendingRequest {
        let id: HTTP2Session.StreamID
        let request: HTTPRequest
        let response: @Sendable () async -> ServedResponse
    }

    init(_ settings: ChannelSettings, _ shared: LoopShare) throws(HTTP2Failure) {
        session = try HTTP2Session(HTTP2Limits(settings.limits), now: NIODeadline.now)
        self.settings = settings
        self.shared = shared
    }

    func handlerAdded(context: ChannelHandlerContext) {
        port = context.channel.localAddress?.port
        client = context.channel.remoteAddress
        session.onRequest = { [unowned self] id, block in respond(to: id, &block, context) }
        session.onEnd = { [unowned self] stream in record(stream) }
        scheduleWatch(context, after: settings.limits.watchInterval)
        flush(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        watch?.cancel()
        // Responses that are still being made find nobody.
        state = .lingering
        session.onRequest = { _, _ in }
        giveUpStreams()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard state == .serving else { return }
        do {
            try unwrapInboundIn(data).withUnsafeReadableBytes { bytes throws(HTTP2Failure) in try session.receive(bytes)
            }
        } catch {
            fail(context, error)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        flush(context)
        context.fireChannelReadComplete()
    }

    /// Nothing is read while the client takes nothing: what answers it would have to be kept.
    func read(context: ChannelHandlerContext) {
        guard context.channel.isWritable || state == .lingering else { return wantsRead = true }
        context.read()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        blockedSince = context.channel.isWritable ? nil : .now()
        if context.channel.isWritable {
            flush(context)
            if wantsRead, context.channel.isWritable {
                wantsRead = false
                context.read()
            }
        }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent:
            session.drain()
            flush(context)
        case ChannelEvent.inputClosed:
            // Nobody half-closes a connection that more is to come on (RFC 9113 §5.4.1 has GOAWAY for it).
            context.close(promise: nil)
        default:
            context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        settings.logger.trace("the connection ended early: \(error)")
        context.close(promise: nil)
    }
}

/// Sending, and the end.
extension HTTP2Connection {
    private func flush(_ context: ChannelHandlerContext) {
        guard state == .serving, !isFlushing else { return }
        isFlushing = true
        defer { isFlushing = false }
        do {
            var batchCount = 0
            while context.channel.isWritable, let batch = try session.nextOutput() {
                context.writeAndFlush(wrapOutboundOut(batch), promise: nil)
                batchCount += 1
                if batchCount == Self.maximumBatchCount { return flushLater(context) }
            }
        } catch {
            return fail(context, error)
        }
        if session.isFinished { linger(context) }
    }

    private func flushLater(_ context: ChannelHandlerContext) {
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.execute {
            let (connection, context) = loopBound.value
            connection.flush(context)
        }
    }

    /// Sends what tells the client why, and ends the connection.
    private func fail(_ context: ChannelHandlerContext, _ failure: any Error) {
        settings.logger.debug("an HTTP/2 connection is ended: \(failure)")
        if let last = try? session.nextOutput() { context.writeAndFlush(wrapOutboundOut(last), promise: nil) }
        linger(context)
    }

    private func linger(_ context: ChannelHandlerContext) {
        guard state == .serving else { return }
        state = .lingering
        giveUpStreams()
        scheduleWatch(context, after: TimeAmount(EndpointLimits.linger))
        context.close(mode: .output, promise: nil)
        if wantsRead { context.read() }
    }

    private func giveUpStreams() {
        session.closeStreams()
        pending.removeAll()
    }

    /// Watches that something gets done. One timer, set anew when it fires, costs a request nothing.
    private func scheduleWatch(_ context: ChannelHandlerContext, after delay: TimeAmount) {
        watch?.cancel()
        watch = context.eventLoop.assumeIsolated().scheduleTask(in: delay) { [self] in checkProgress(context) }
    }

    private func checkProgress(_ context: ChannelHandlerContext) {
        guard state == .serving else { return context.close(promise: nil) }
        while let deadline = session.deadline(settings.limits, blockedSince: blockedSince) {
            let remaining = deadline.time - .now()
            if remaining > .zero {
                scheduleWatch(context, after: min(remaining, settings.limits.watchInterval))
                return flush(context)
            }
            switch deadline.consequence {
            case .reset(let id, let code): session.reset(id, code)
            case .end(let code):
                session.end(code)
                flush(context)
                return linger(context)
            case .close: return context.close(promise: nil)
            }
        }
        scheduleWatch(context, after: settings.limits.watchInterval)
        flush(context)
    }
}

/// Answering.
extension HTTP2Connection {
    private func respond(to id: HTTP2Session.StreamID, _ block: inout HTTP2FieldBlock, _ context: ChannelHandlerContext)
    {
        session.streams[id]?.record = record(of: block)
        let outcome = block.withView(targetLimit: settings.limits.head.targetByteCount) { view in
            shared.core.respond(to: view, as: .http2)
        }
        switch outcome {
        case .ready(let form) where form.body?.hasFaulted != true: send(form, to: id)
        case .single(let response, let source): send(response, source, to: id)
        case .malformed(let problem): refuse(id, problem, block)
        case .ready, .waiting, nil: ask(id, block, context)
        }
    }

    private func refuse(_ id: HTTP2Session.StreamID, _ problem: MalformedRequest, _ block: HTTP2FieldBlock) {
        let response = block.isForHead ? problem.response.withoutBody : problem.response
        let stream = session.streams[id]
        stream?.record = stream?.record?.withoutRequest
        send(settings.responder.refusal(response, of: nil), ResponseSource(.server), to: id)
    }

    /// Has the responder respond, which may take time.
    private func ask(_ id: HTTP2Session.StreamID, _ block: HTTP2FieldBlock, _ context: ChannelHandlerContext) {
        do throws(MalformedRequest) {
            let request = try HTTPRequest(block, within: settings.limits.head)
            switch settings.responder.begin(request, at: port) {
            case .complete(let response, let source, _): send(response, source, to: id)
            case .waiting(let rest):
                pending.append(PendingRequest(id: id, request: request, response: rest))
                answerPending(context)
            }
        } catch {
            refuse(id, error, block)
        }
    }

    private func answerPending(_ context: ChannelHandlerContext) {
        while underwayCount < Self.maximumUnderwayCount, let next = pending.popFirst() {
            // The client may have given it up, or be gone.
            if let stream = session.streams[next.id], !stream.isReset { begin(next, on: stream, context) }
        }
    }

    private func begin(_ next: PendingRequest, on stream: HTTP2Stream, _ context: ChannelHandlerContext) {
        underwayCount += 1
        let loop = context.eventLoop
        let loopBound = NIOLoopBound((self, context), eventLoop: loop)
        stream.task = Task {
            let response = await next.response()
            try? await loop.submit {
                let (connection, context) = loopBound.value
                connection.underwayCount -= 1
                connection.send(response, to: next.id, next.request, context)
                connection.answerPending(context)
            }.get()
        }
    }

    private func send(_ form: ReadyForm, to id: HTTP2Session.StreamID) {
        guard case .http2(let head) = form.head else { return }
        let body = form.body.map { OutgoingBody.stored(BodyChunks(ResponseBody([$0]))) } ?? .none
        send(head, part: form.part, body, form.source, to: id)
    }

    private func send(_ response: Response, _ source: ResponseSource, to id: HTTP2Session.StreamID) {
        let body = response.body.isEmpty ? OutgoingBody.none : .stored(BodyChunks(response.body))
        send(HTTP2ResponseHead(response.head), body, source, to: id)
    }

    private func send(
        _ head: HTTP2ResponseHead,
        part: ContentPart? = nil,
        _ body: OutgoingBody,
        _ source: ResponseSource,
        to id: HTTP2Session.StreamID
    ) {
        let stream = session.streams[id]
        stream?.record?.status = head.status.code
        stream?.record?.source = source
        shared.date.update()
        session.respond(to: id, head, part: part, date: shared.date.value, body: body)
    }

    private func send(
        _ response: ServedResponse,
        to id: HTTP2Session.StreamID,
        _ request: HTTPRequest,
        _ context: ChannelHandlerContext
    ) {
        guard session.streams[id] != nil else { return }
        switch response {
        case .complete(let response, let source): send(response, source, to: id)
        case .streaming(let head, let body, let source):
            let relayed = RelayedContent()
            send(HTTP2ResponseHead(head), .relayed(relayed), source, to: id)
            relay(body, to: id, relayed, request, context)
        }
        flush(context)
    }

    /// Passes content on as fast as the client takes it.
    private func relay(
        _ body: BodyStream,
        to id: HTTP2Session.StreamID,
        _ relayed: RelayedContent,
        _ request: HTTPRequest,
        _ context: ChannelHandlerContext
    ) {
        let loop = context.eventLoop
        let loopBound = NIOLoopBound((self, context, relayed), eventLoop: loop)
        session.streams[id]?.task = Task { [logger = settings.logger] in
            let isWhole: Bool
            do {
                for try await chunk in body {
                    try await loop.flatSubmit {
                        let (connection, context, relayed) = loopBound.value
                        return connection.offer(chunk, to: relayed, of: id, context)
                    }.get()
                }
                isWhole = true
            } catch {
                isWhole = false
                if let error = error as? BundleError {
                    logger.notice("\(Printable.text(request.path ?? "")) was cut short: \(error)")
                }
            }
            try? await loop.submit {
                let (connection, context, relayed) = loopBound.value
                connection.end(relayed, of: id, isWhole: isWhole, context)
            }.get()
        }
    }

    /// Sends a chunk. Succeeds when it has gone out.
    private func offer(
        _ chunk: [UInt8],
        to relayed: RelayedContent,
        of id: HTTP2Session.StreamID,
        _ context: ChannelHandlerContext
    ) -> EventLoopFuture<Void> {
        let promise = context.eventLoop.makePromise(of: Void.self)
        relayed.offer(ByteBuffer(bytes: chunk), promise)
        session.resume(id)
        flush(context)
        return promise.futureResult
    }

    private func end(
        _ relayed: RelayedContent,
        of id: HTTP2Session.StreamID,
        isWhole: Bool,
        _ context: ChannelHandlerContext
    ) {
        guard session.streams[id] != nil else { return }
        // The client must not take a part for the whole.
        if isWhole {
            relayed.end()
            session.resume(id)
        } else {
            session.reset(id, .internalError)
        }
        flush(context)
    }
}

/// Recording.
extension HTTP2Connection {
    /// The record of a request, without its response; nil when requests aren't recorded.
    private func record(of block: HTTP2FieldBlock) -> AccessRecord? {
        guard settings.recorder.isOn else { return nil }
        let now = shared.date.now()
        guard settings.recorder.needsTexts else { return AccessRecord(from: .absent, at: now) }
        return AccessRecord(block, from: LogText(client?.ipAddress), at: now)
    }

    /// Records what has become of a request; once.
    private func record(_ stream: HTTP2Stream) {
        guard var record = stream.record else { return }
        stream.record = nil
        // As nginx has it: the client was told nothing.
        if record.status == 0 { record.status = 499 }
        record.byteCount = stream.sentByteCount
        record.duration = Duration(.now() - stream.beganAt)
        settings.recorder.record(record)
    }
}
