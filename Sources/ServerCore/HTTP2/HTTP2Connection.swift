import BundleModel
import HTTPCore
import HTTPTypes
import Logging
import NIOCore

/// Serves one HTTP/2 connection on its event loop. A response that needs no waiting is sent in the turn in which its
/// request is read.
final class HTTP2Connection: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum State {
        case serving
        /// The last bytes are sent, and further input is discarded: closing immediately could make the client's system
        /// drop them unread.
        case lingering
    }

    /// How many batches are sent before other connections get their turn.
    private static let maximumBatchCount = 16
    let session: HTTP2Session
    let settings: ChannelSettings
    let shared: LoopShare
    private var state = State.serving
    private var isFlushing = false
    private var wantsRead = false
    /// Since when the channel hasn't been writable.
    private var blockedSince: NIODeadline?
    private var info = ConnectionInfo(local: nil, peer: nil)
    private var client: SocketAddress?
    private var watch: Scheduled<Void>?
    /// The connection's place among all.
    private var permit: AddressLimiter.Permit?

    init(_ settings: ChannelSettings, _ shared: LoopShare, _ permit: AddressLimiter.Permit) throws(HTTP2Failure) {
        self.permit = permit
        session = try HTTP2Session(HTTP2Limits(settings.limits), now: NIODeadline.now)
        self.settings = settings
        self.shared = shared
    }

    func handlerAdded(context: ChannelHandlerContext) {
        client = context.channel.remoteAddress
        info = ConnectionInfo(local: context.channel.localAddress, peer: client)
        session.onRequest = { [unowned self] id, block, isEnd in respond(to: id, &block, isEnd: isEnd, context) }
        session.onEnd = { [unowned self] stream in record(stream) }
        scheduleWatch(context, after: settings.limits.watchInterval)
        flush(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        watch?.cancel()
        // Responses that complete later are dropped.
        state = .lingering
        session.onRequest = { _, _, _ in }
        session.closeStreams()
        permit = nil
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

    /// Nothing is read while the client takes nothing: the responses would have to be kept.
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
            // A client that expects more doesn't half-close the connection; HTTP/2 has GOAWAY for that (RFC 9113 §6.8).
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

/// Sending, and ending the connection.
extension HTTP2Connection {
    func flush(_ context: ChannelHandlerContext) {
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

    /// Sends the client the reason, and ends the connection.
    private func fail(_ context: ChannelHandlerContext, _ failure: any Error) {
        settings.logger.debug("an HTTP/2 connection is ended: \(failure)")
        if let last = try? session.nextOutput() { context.writeAndFlush(wrapOutboundOut(last), promise: nil) }
        linger(context)
    }

    private func linger(_ context: ChannelHandlerContext) {
        guard state == .serving else { return }
        state = .lingering
        session.closeStreams()
        scheduleWatch(context, after: TimeAmount(ServerLimits.linger))
        context.close(mode: .output, promise: nil)
        if wantsRead { context.read() }
    }

    /// Watches for progress. One timer, rescheduled when it fires, costs nothing per request.
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
            case .refuse(let id): refuseContent(of: id)
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

/// Responding.
extension HTTP2Connection {
    private func respond(
        to id: HTTP2Session.StreamID,
        _ block: inout HTTP2FieldBlock,
        isEnd: Bool,
        _ context: ChannelHandlerContext
    ) {
        session.streams[id]?.record = record(of: block)
        session.streams[id]?.count = PendingCount()
        block.joinCookies()
        let outcome = block.withView(targetLimit: settings.limits.head.targetByteCount) { view in
            shared.core.respond(to: view, as: .http2, on: info) {
                () throws(MalformedRequest) in try HTTPRequest(block, within: settings.limits.head)
            }
        }
        switch outcome {
        case .ready(let form) where form.body?.hasFaulted != true: send(form, to: id)
        case .single(let response, let source): send(response, source, to: id)
        case .malformed(let problem): refuse(id, problem, block)
        case .waiting(let begun): wait(for: begun, on: id, isEnd: isEnd, context)
        case .ready, nil: ask(id, block, isEnd: isEnd, context)
        }
    }

    private func refuse(_ id: HTTP2Session.StreamID, _ problem: MalformedRequest, _ block: HTTP2FieldBlock) {
        let response = block.isForHead ? problem.response.withoutBody : problem.response
        session.streams[id]?.record?.removeRequest()
        send(settings.responder.refusal(response, of: nil), ResponseSource(.server), to: id)
    }

    /// Passes a request to the responder, whose response may have to be awaited.
    private func ask(
        _ id: HTTP2Session.StreamID,
        _ block: HTTP2FieldBlock,
        isEnd: Bool,
        _ context: ChannelHandlerContext
    ) {
        do throws(MalformedRequest) {
            let request = try HTTPRequest(block, within: settings.limits.head)
            switch settings.responder.begin(request, on: info) {
            case .complete(let response, let source, _): send(response, source, to: id)
            case .waiting(let rest):
                wait(for: BegunRequest(request: request, response: rest), on: id, isEnd: isEnd, context)
            }
        } catch {
            refuse(id, error, block)
        }
    }

    private func wait(
        for begun: BegunRequest,
        on id: HTTP2Session.StreamID,
        isEnd: Bool,
        _ context: ChannelHandlerContext
    ) {
        guard let stream = session.streams[id] else { return }
        guard let place = settings.waiting.acquire(for: client?.peer) else {
            let response = settings.responder.refusal(Overload.waitingRequests.response, of: begun.request)
            return send(
                begun.request.method == .head ? response.withoutBody : response,
                ResponseSource(.server),
                to: id
            )
        }
        stream.waiting = (place, permit?.use())
        if !isEnd { stream.content = content(of: id, begun.request, context) }
        let client = client(of: stream, id, begun.request, context)
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        stream.task = Task(executorPreference: shared.executor) {
            let response = await begun.response(client)
            let (connection, context) = bound.value
            connection.send(response, to: id, begun.request, context)
            // Also if the stream is over and the task wasn't.
            withExtendedLifetime(place) {}
        }
    }

    private func send(_ form: ReadyForm, to id: HTTP2Session.StreamID) {
        guard case .http2(let head) = form.head else { return }
        let body = form.body.map { OutgoingBody.stored(BodyChunks(ResponseBody([$0]))) } ?? .none
        send(head, part: form.part, body, form.source, shared.tallies?.tally(of: form), to: id)
    }

    func send(_ response: Response, _ source: ResponseSource, to id: HTTP2Session.StreamID) {
        let body = response.body.isEmpty ? OutgoingBody.none : .stored(BodyChunks(response.body))
        send(HTTP2ResponseHead(response.head), body, source, tally(source, response.head), to: id)
    }

    private func send(
        _ head: HTTP2ResponseHead,
        part: ContentPart? = nil,
        _ body: OutgoingBody,
        _ source: ResponseSource,
        _ tally: ResponseTally?,
        to id: HTTP2Session.StreamID
    ) {
        let stream = session.streams[id]
        stream?.record?.note(head.status.code, source)
        stream?.count?.note(tally, source.saving)
        shared.date.update()
        session.respond(to: id, head, part: part, date: shared.date.value, body: body)
    }

    private func send(
        _ response: ServedResponse,
        to id: HTTP2Session.StreamID,
        _ request: HTTPRequest,
        _ context: ChannelHandlerContext
    ) {
        // The client may be gone, or have been refused meanwhile.
        guard let stream = session.streams[id], !stream.hasResponse else { return }
        switch response {
        case .complete(let response, let source):
            stream.waiting?.permit = nil
            send(response, source, to: id)
        // A responder switches protocols only for a client that has asked for it.
        case .switching where request.extendedConnectProtocol == nil: session.reset(id, .internalError)
        case .switching(let head, let tunnel, let source):
            stream.isTunnel = true
            relay(tunnel.incoming, behind: head.asConnected, source, to: id, request, context)
            send(into: tunnel, of: id, context)
        case .streaming(let head, let body, let source): relay(body, behind: head, source, to: id, request, context)
        }
        flush(context)
    }

    /// Sends a head, and what arrives behind it.
    private func relay(
        _ body: BodyStream,
        behind head: HTTPResponse,
        _ source: ResponseSource,
        to id: HTTP2Session.StreamID,
        _ request: HTTPRequest,
        _ context: ChannelHandlerContext
    ) {
        let relayed = RelayedContent()
        send(HTTP2ResponseHead(head), .relayed(relayed), source, tally(source, head), to: id)
        session.streams[id]?.task = relayed.relay(
            body,
            of: request.path ?? "",
            on: context.eventLoop,
            shared.executor,
            settings.logger
        ) { [self] in
            // The client may have given the stream up, or be gone.
            guard session.streams[id] != nil else { return }
            // It must not take a part for the whole.
            if relayed.isCut { session.reset(id, .internalError) } else { session.resume(id) }
            flush(context)
        }
    }
}

/// Recording.
extension HTTP2Connection {
    /// The record of a request, without its response; nil when requests aren't recorded.
    private func record(of block: HTTP2FieldBlock) -> PendingRecord? {
        settings.recorder.begin(at: shared.date.now()) {
            AccessRecord(block, from: LogText(client?.ipAddress), at: $0)
        }
    }

    /// The tally for a response; nil when responses aren't counted.
    private func tally(_ source: ResponseSource, _ head: HTTPResponse) -> ResponseTally? {
        shared.tallies?.tally(source, status: head.status.code)
    }

    /// Records a request and its response; once.
    private func record(_ stream: HTTP2Stream) {
        stream.count?.finish(byteCount: stream.sentByteCount, in: shared.tallies)
        guard let record = stream.record else { return }
        stream.record = nil
        settings.recorder.record(record.finished(byteCount: stream.sentByteCount))
    }
}
