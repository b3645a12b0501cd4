import NIOCore

/// Holds what is written, as the system does for a client that doesn't read. For use on one event loop.
final class StalledOutput: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var held: [(bytes: ByteBuffer, promise: EventLoopPromise<Void>?)] = []
    private var context: ChannelHandlerContext?

    /// How many writes are held.
    var count: Int { held.count }

    /// Takes the first one, as if the client had read it.
    func takeFirst() {
        guard let context, !held.isEmpty else { return }
        let (bytes, promise) = held.removeFirst()
        context.writeAndFlush(wrapOutboundOut(bytes), promise: promise)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        held.append((unwrapOutboundIn(data), promise))
    }

    func flush(context: ChannelHandlerContext) {}

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        // A channel in memory has no half to close.
        guard mode == .all else { return promise?.succeed() ?? () }
        for (_, promise) in held { promise?.fail(ChannelError.ioOnClosedChannel) }
        held = []
        context.close(promise: promise)
    }
}
