import NIOCore

/// Passes on the bytes received before a connection became a channel, ahead of all later ones.
final class FirstBytes: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let bytes: ByteBuffer

    init(_ bytes: [UInt8]) {
        self.bytes = ByteBuffer(bytes: bytes)
    }

    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        context.fireChannelRead(wrapInboundOut(bytes))
        context.fireChannelReadComplete()
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }
}
