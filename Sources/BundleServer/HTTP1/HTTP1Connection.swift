import BundleServing
import BundleStore
import HTTPTypes
import Logging
import NIOCore

/// Serves one HTTP/1 connection on its event loop, one request after the other: what the bundles have is sent in the
/// turn in which it was asked for.
final class HTTP1Connection: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Whose turn it is.
    enum Phase {
        /// The client may send a request.
        case receiving
        /// The response is being made.
        case waiting
        /// The response's body goes out as the client takes it.
        case sending
        /// The last response is sent, and what still comes is thrown away: closing at once would make the client's
        /// system drop the response (RFC 9112 §9.6).
        case lingering
    }

    /// What takes the client too long.
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
    var isProcessing = false
    /// Whether more is to be read as soon as there is room for it.
    private var wantsRead = false
    /// Whether what still comes is thrown away: it is too much, behind a request whose response is under way.
    private var ignoresInput = false
    /// More than is read at once beside a head.
    private static let maximumReceivedByteCount = 512 << 10
    /// Whether a ready response was the last one: then the connection is better off in its loop.
    var isPlain = false
    /// Whether the connection ends with the response that is under way.
    var isDraining = false
    /// Whether the client sends nothing more.
    var hasInputEnded = false
    /// Sent after the response that is under way, as the last.
    var refusal: Response?
    /// What the client is in the middle of, and since when.
    var awaited: (part: Awaited, since: NIODeadline)?
    /// When something came or went last.
    var activeAt = NIODeadline.distantPast
    /// How many writes the client's system hasn't taken yet, and when it took the last one, or the first of these
    /// began.
    var pendingWriteCount = 0
    var writtenAt = NIODeadline.distantPast
    /// Whether a body is being sent: what is flushed may tell at once that there is room again.
    var isSendingBody = false
    var watch: Scheduled<Void>?
    /// Whether all that was written is with the client's system.
    var isOutputClosed = false
    /// Where the connection returns to when nothing is left to do on it here; nil for one that began as a channel.
    let migration: MigratingConnection?

    /// - Parameter migration: What the connection was before it became a channel; nil for nothing.
    init(_ settings: ChannelSettings, _ shared: LoopShare, migration: MigratingConnection?) {
        self.settings = settings
        self.shared = shared
        self.migration = migration
        rate = migration?.rate ?? RequestRate()
        scanner = RequestHeadScanner(limits: settings.limits.head)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        activeAt = context.eventLoop.now
        scheduleWatch(context, after: settings.limits.watchInterval)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        watch?.cancel()
        phase = .lingering
        if let exchange { finishRecord(of: exchange) }
        exchange?.cancel()
        exchange = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard phase != .lingering, !ignoresInput else { return }
        received.writeImmutableBuffer(unwrapInboundIn(data))
        activeAt = context.eventLoop.now
        process(context)
        // At the client's end NIO reads all that there is.
        if received.readableBytes > Self.maximumReceivedByteCount {
            ignoresInput = true
            received = ByteBuffer()
            exchange?.closesConnection = true
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.flush()
        if isPlain { comeBack(context) }
        context.fireChannelReadComplete()
    }

    /// Requests behind the one whose response is under way are read up to the length of a head.
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
            // What has been asked is still answered.
            process(context)
        default:
            context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        settings.logger.trace("the connection ended early: \(error)")
        context.close(promise: nil)
    }
}
