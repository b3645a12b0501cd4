import NIOCore
import NIOEmbedded

/// Tells that there is no more room behind a long write, and in the middle of the next flush that there is again: over TLS
/// the system takes what is flushed before the call returns. After some flushes there is none until the test makes it.
/// For use on one event loop.
final class RoomAtOnce: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private static let maximumByteCount = 32 << 10
    private let flushCount: Int
    private var remainingCount: Int
    private var byteCount = 0
    /// Whether a flush waits for room.
    private var isFlushing = false
    private var context: ChannelHandlerContext?

    /// - Parameter flushCount: How many flushes there is room for.
    init(flushCount: Int) {
        (self.flushCount, remainingCount) = (flushCount, flushCount)
    }

    /// Makes room for as many flushes again.
    func makeRoom() {
        remainingCount = flushCount
        if isFlushing, let context { flush(context: context) }
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        byteCount += unwrapOutboundIn(data).readableBytes
        context.write(data, promise: promise)
        if byteCount > Self.maximumByteCount { setWritable(false, context) }
    }

    func flush(context: ChannelHandlerContext) {
        isFlushing = remainingCount == 0
        guard !isFlushing else { return }
        remainingCount -= 1
        byteCount = 0
        context.flush()
        setWritable(true, context)
    }

    private func setWritable(_ isWritable: Bool, _ context: ChannelHandlerContext) {
        guard let channel = context.channel as? EmbeddedChannel, channel.isWritable != isWritable else { return }
        channel.isWritable = isWritable
        context.fireChannelWritabilityChanged()
    }
}
