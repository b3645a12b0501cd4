import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Translates between NIO's HTTP/1 messages and HTTPTypes.
///
/// `HTTP1ToHTTPServerCodec` doesn't do: it drops the host of an absolute-form target, says `http` where the client says
/// nothing, and forgets the client's version.
final class HTTPMessageCodec: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = ReceivedPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Requests that are read and not yet answered; responses go out in their order.
    private var exchanges: CircularBuffer<MessageExchange> = []
    private var isRefusing = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefusing else { return }
        switch unwrapInboundIn(data) {
        case .head(let head): read(head, context)
        case .body(let bytes): context.fireChannelRead(wrapInboundOut(.body(bytes)))
        case .end: context.fireChannelRead(wrapInboundOut(.end))
        }
    }

    private func read(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        do {
            let exchange = MessageExchange(head)
            let request = try HTTPRequest(received: head)
            exchanges.append(exchange)
            context.fireChannelRead(wrapInboundOut(.head(request, exchange)))
        } catch {
            isRefusing = true
            context.fireErrorCaught(RefusedRequest(error, of: head))
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let response):
            let head = (exchanges.first ?? .refused).head(for: response)
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body(let bytes):
            context.write(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: promise)
        case .end(let trailers):
            _ = exchanges.popFirst()
            context.write(wrapOutboundOut(.end(trailers.map { HTTPHeaders($0) })), promise: promise)
            context.triggerUserOutboundEvent(RequestGate.ResponseEnd(), promise: nil)
        }
    }
}
