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
    /// How long the client may take to close after the last bytes were sent.
    private static let lingerLimit = TimeAmount.seconds(2)

    private let session: HTTP2Session
    private let responder: HTTP2Responder
    private let limits: EndpointLimits
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

    init(_ responder: HTTP2Responder, limits: EndpointLimits) throws(HTTP2Failure) {
        session = try HTTP2Session(HTTP2Limits(limits), now: NIODeadline.now)
        self.responder = responder
        self.limits = limits
    }

    func handlerAdded(context: ChannelHandlerContext) {
        responder.enter()
        port = context.channel.localAddress?.port
        client = context.channel.remoteAddress
        session.onRequest = { [unowned self] id, block in respond(to: id, block, context) }
        session.onEnd = { [responder] stream in responder.observe(stream, at: .now()) }
        scheduleWatch(context, after: watchInterval)
        flush(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        watch?.cancel()
        responder.leave()
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
        responder.responder.logger.trace("the connection ended early: \(error)")
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
        responder.responder.logger.debug("an HTTP/2 connection is ended: \(failure)")
        if let last = try? session.nextOutput() { context.writeAndFlush(wrapOutboundOut(last), promise: nil) }
        linger(context)
    }

    private func linger(_ context: ChannelHandlerContext) {
        guard state == .serving else { return }
        state = .lingering
        giveUpStreams()
        scheduleWatch(context, after: Self.lingerLimit)
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

    /// As often as anything can become overdue: what begins after one look isn't overdue before the next.
    private var watchInterval: TimeAmount {
        TimeAmount(min(limits.idle, limits.headTime, limits.bodyTime, limits.writeStall))
    }

    private func checkProgress(_ context: ChannelHandlerContext) {
        guard state == .serving else { return context.close(promise: nil) }
        responder.forgetOutdated()
        while let deadline = session.deadline(limits, blockedSince: blockedSince) {
            let remaining = deadline.time - .now()
            if remaining > .zero {
                scheduleWatch(context, after: min(remaining, watchInterval))
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
        scheduleWatch(context, after: watchInterval)
        flush(context)
    }
}

/// Answering.
extension HTTP2Connection {
    private func respond(to id: HTTP2Session.StreamID, _ block: HTTP2FieldBlock, _ context: ChannelHandlerContext) {
        session.streams[id]?.record = responder.record(of: block, from: client)
        switch responder.begin(block, at: port) {
        case .answered(let entry): send(entry, to: id)
        case .waiting(let request, let rest):
            pending.append(PendingRequest(id: id, request: request, response: rest))
            answerPending(context)
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

    private func send(_ entry: HTTP2Responder.Entry, to id: HTTP2Session.StreamID) {
        send(entry.head, entry.body.isEmpty ? .none : .stored(BodyChunks(entry.body)), entry.source, to: id)
    }

    private func send(
        _ head: HTTP2ResponseHead,
        _ body: HTTP2Body,
        _ source: ResponseSource,
        to id: HTTP2Session.StreamID
    ) {
        let stream = session.streams[id]
        stream?.record?.status = head.status.code
        stream?.record?.source = source
        session.respond(to: id, head, date: responder.currentDate, body: body)
    }

    private func send(
        _ response: ServedResponse,
        to id: HTTP2Session.StreamID,
        _ request: HTTPRequest,
        _ context: ChannelHandlerContext
    ) {
        guard session.streams[id] != nil else { return }
        responder.responder.log(request, response.head.status)
        switch response {
        case .complete(let response, let source): send(HTTP2Responder.Entry(response, source), to: id)
        case .streaming(let head, let body, let source):
            let relayed = HTTP2RelayedBody()
            send(HTTP2ResponseHead(head), .relayed(relayed), source, to: id)
            relay(body, to: id, relayed, request, context)
        }
        flush(context)
    }

    /// Passes content on as fast as the client takes it.
    private func relay(
        _ body: BodyStream,
        to id: HTTP2Session.StreamID,
        _ relayed: HTTP2RelayedBody,
        _ request: HTTPRequest,
        _ context: ChannelHandlerContext
    ) {
        let loop = context.eventLoop
        let loopBound = NIOLoopBound((self, context, relayed), eventLoop: loop)
        session.streams[id]?.task = Task { [responder = responder.responder] in
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
                if let error = error as? BundleError { responder.log(request, cutShortBy: error) }
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
        to relayed: HTTP2RelayedBody,
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
        _ relayed: HTTP2RelayedBody,
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
