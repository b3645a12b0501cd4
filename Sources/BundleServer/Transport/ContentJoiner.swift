import NIOCore
import NIOHTTP1

/// Joins what came of a response's content with one read: an origin that sends it in chunks of one byte would cost a turn
/// of the consumer's for each of them.
///
/// It delays nothing: the HTTP client behind it waits for the end of a read too.
final class ContentJoiner: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    private var content: ByteBuffer?

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .body(var part) = unwrapInboundIn(data) else {
            passOn(context)
            return context.fireChannelRead(data)
        }
        if content == nil { content = part } else { content?.writeBuffer(&part) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        passOn(context)
        context.fireChannelReadComplete()
    }

    func channelInactive(context: ChannelHandlerContext) {
        passOn(context)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        passOn(context)
        context.fireErrorCaught(error)
    }

    private func passOn(_ context: ChannelHandlerContext) {
        guard let content else { return }
        self.content = nil
        context.fireChannelRead(wrapInboundOut(.body(content)))
    }
}
