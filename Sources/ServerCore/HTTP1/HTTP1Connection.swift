import BundleModel
import HTTPCore
import HTTPTypes
import Logging
import NIOCore

/// Serves one HTTP/1 connection on its event loop, one request after the other. A response that needs no waiting is
/// sent in the turn in which its request is read.
final class HTTP1Connection: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// What the connection is doing.
    enum Phase {
        /// The client may send a request.
        case receiving
        /// The responder is producing the response.
        case waiting
        /// The response's body is being sent as the client takes it.
        case sending
        /// The last response is sent, and further input is discarded: closing immediately could make the client's
        /// system drop the response (RFC 9112 §9.6).
        case lingering
    }

    /// The part of a request that the client has begun.
    enum Awaited {
        case head
        case content
    }

    let settings: ChannelSettings
    let shared: LoopShare
    let scanner: RequestHeadScanner
    var phase = Phase.receiving
    var received = ByteBuffer()
    var stream = RequestStream()
    var rate: RequestRate
    /// The request whose response is under way.
    var exchange: HTTP1Exchange?
    /// The connection's place among all.
    private(set) var permit: AddressLimiter.Permit?
    var isProcessing = false
    /// Whether a read waits until there is room.
    private var wantsRead = false
    /// Whether further input is discarded, because too much arrived while a response was under way.
    private var ignoresInput = false
    /// The most received bytes kept; a head and one more read fit.
    private static let maximumReceivedByteCount = 512 << 10
    /// The same while a responder reads them: of a client that has ended its side, NIO reads at once what the system holds.
    private static let maximumContentByteCount = 8 << 20
    /// Whether the request core gave the last response: then the connection belongs in its loop.
    var isPlain = false
    /// Whether the connection ends with the response that is under way.
    var isDraining = false
    /// Whether the client has closed its sending side.
    var hasInputEnded = false
    /// The last response, sent after the one under way.
    var refusal: Response?
    /// The part of a request that is incomplete, and since when.
    var awaited: (part: Awaited, since: NIODeadline)?
    /// When the connection was last active.
    var activeAt = NIODeadline.distantPast
    /// The number of pending writes, and when the last write completed or the first pending one began.
    var pendingWriteCount = 0
    var writtenAt = NIODeadline.distantPast
    /// Whether a body is being sent: flushing may immediately report that there is room again.
    var isSendingBody = false
    var watch: Scheduled<Void>?
    /// Ends the wait for a response whose client has ended its side.
    var abandonment: Scheduled<Void>?
    /// How much of the last request's content has been discarded, in bytes.
    var discardedByteCount = 0
    /// Whether everything is written and the sending side is closed.
    var isOutputClosed = false
    /// The way back to the connection's loop when it is idle; nil if it began as a channel.
    private(set) var migration: MigratingConnection?
    /// The first request, if its loop has had the responder begin it.
    var begun: BegunRequest?
    /// What responses depend on of the connection.
    private(set) var info = ConnectionInfo(local: nil, peer: nil)

    /// - Parameter migration: The connection as the loop migrated it; nil if it began as a channel.
    init(
        _ settings: ChannelSettings,
        _ shared: LoopShare,
        _ permit: AddressLimiter.Permit,
        migration: MigratingConnection?
    ) {
        self.settings = settings
        self.permit = permit
        self.shared = shared
        self.migration = migration
        begun = migration?.begun
        rate = migration?.rate ?? RequestRate()
        scanner = RequestHeadScanner(limits: settings.limits.head)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        activeAt = context.eventLoop.now
        info = ConnectionInfo(local: context.channel.localAddress, peer: context.channel.remoteAddress)
        scheduleWatch(context, after: settings.limits.watchInterval)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        watch?.cancel()
        abandonment?.cancel()
        phase = .lingering
        if let exchange { finishRecord(of: exchange) }
        if let exchange, exchange.isOutputDone { releaseUplink(of: exchange, context) }
        exchange?.cancel()
        exchange = nil
        // The connection gives back its place in the limiter, also if a task that doesn't end refers to this handler.
        (permit, migration) = (nil, nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard phase != .lingering, !ignoresInput else { return }
        received.writeImmutableBuffer(unwrapInboundIn(data))
        activeAt = context.eventLoop.now
        process(context)
        // When the client closes its side, NIO reads everything that is left.
        let limit = exchange?.content == nil ? Self.maximumReceivedByteCount : Self.maximumContentByteCount
        if received.readableBytes > limit {
            ignoresInput = true
            received = ByteBuffer()
            exchange?.closesConnection = true
            exchange?.content?.fail()
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.flush()
        if isPlain { comeBack(context) }
        context.fireChannelReadComplete()
    }

    /// Pipelined requests are read ahead up to the length of a head.
    private var hasRoom: Bool { received.readableBytes < settings.limits.head.byteCount }

    func read(context: ChannelHandlerContext) {
        guard hasRoom else { return wantsRead = true }
        context.read()
    }

    func resumeReading(_ context: ChannelHandlerContext) {
        guard wantsRead, hasRoom else { return }
        wantsRead = false
        context.read()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            activeAt = context.eventLoop.now
            if phase == .sending { sendBody(context) }
            process(context)
            context.flush()
        }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent:
            isDraining = true
            if phase == .receiving { linger(context) }
        case ChannelEvent.inputClosed:
            hasInputEnded = true
            if isOutputClosed { return context.close(promise: nil) }
            // Requests received so far still get their responses.
            process(context)
            limitWaiting(context)
            context.flush()
        default:
            context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        settings.logger.trace("the connection ended early: \(error)")
        context.close(promise: nil)
    }
}

/// Time limits for clients, and the return of an idle connection to its loop.
extension HTTP1Connection {
    /// One timer, rescheduled when it fires, costs nothing per request.
    func scheduleWatch(_ context: ChannelHandlerContext, after delay: TimeAmount) {
        watch?.cancel()
        watch = context.eventLoop.assumeIsolated().scheduleTask(in: delay) { [self] in checkProgress(context) }
    }

    private func checkProgress(_ context: ChannelHandlerContext) {
        guard !isOutputClosed else { return context.close(promise: nil) }
        let limits = settings.limits
        var next = limits.watchInterval
        func isOverdue(_ start: NIODeadline, _ limit: Duration) -> Bool {
            let remaining = start + TimeAmount(limit) - context.eventLoop.now
            if remaining > .zero { next = min(next, remaining) }
            return remaining <= .zero
        }
        if pendingWriteCount > 0, isOverdue(writtenAt, limits.writeStall) { return context.channel.reset() }
        if let awaited, isOverdue(awaited.since, awaited.part == .head ? limits.headTime : limits.bodyTime) {
            self.awaited = nil
            if phase == .receiving { return refuse(with: Overload.requestTime.response, context) }
            // Nothing may follow the last response.
            if exchange?.closesConnection == false, !isDraining { refusal = Overload.requestTime.response }
        }
        if let exchange {
            if let deadline = exchange.pace.deadline(TimeAmount(limits.bodyTime)),
                isOverdue(deadline - TimeAmount(limits.bodyTime), limits.bodyTime)
            {
                giveUpContent(of: exchange, context)
                // The linger time is running.
                if phase == .lingering, pendingWriteCount == 0 { return }
            }
            if let limit = silenceLimit(of: exchange), isOverdue(max(activeAt, writtenAt), limit) {
                return context.channel.reset()
            }
        }
        // A client that takes its time for responses isn't idle.
        if phase == .receiving, awaited == nil, pendingWriteCount == 0 {
            if isOverdue(activeAt, limits.idle) { return context.close(promise: nil) }
            // An idle connection takes less memory in its loop.
            comeBack(context)
        }
        scheduleWatch(context, after: next)
    }

    /// How long an origin may be silent behind a head, when the client has ended its side and may be gone, or has lost the
    /// other direction of a tunnel; nil for any time.
    private func silenceLimit(of exchange: HTTP1Exchange) -> Duration? {
        guard phase == .sending, pendingWriteCount == 0, hasInputEnded || exchange.isOutputDone else { return nil }
        return exchange.isTunnel ? settings.limits.idle : settings.limits.writeStall
    }

    /// Whether nothing is under way.
    private var isIdle: Bool {
        phase == .receiving && exchange == nil && stream.isAtHead && received.readableBytes == 0 && !isDraining
            && !hasInputEnded && pendingWriteCount == 0
    }

    /// Returns an idle connection to the loop that it came from.
    func comeBack(_ context: ChannelHandlerContext) {
        guard let migration, isIdle else { return }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        // In a later turn: if the client's end is read in this one, NIO expects the channel to be open afterwards.
        context.eventLoop.execute {
            let (connection, context) = bound.value
            // Once the channel is closed, its descriptor number may belong to another file.
            guard context.channel.isActive, connection.isIdle, migration.comeBack(rate: connection.rate) else { return }
            connection.phase = .lingering
            context.close(promise: nil)
        }
    }
}
