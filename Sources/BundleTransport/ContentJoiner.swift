import NIOCore
import NIOHTTP1

/// Joins the parts of a response's content that arrive with one read: otherwise each chunk of an origin that sends
/// chunks of one byte would have to be consumed separately.
///
/// It adds no delay: the HTTP client after it also waits for the end of a read.
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
