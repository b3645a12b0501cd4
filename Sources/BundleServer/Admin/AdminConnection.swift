import BundleServing
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// Answers one request of an operator's and closes the connection: nobody asks often enough to keep it.
final class AdminConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let responder: AdminResponder
    private var request: HTTPRequest?

    init(_ responder: AdminResponder) {
        self.responder = responder
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): request = Self.request(head)
        case .body: break
        case .end:
            guard let request else { return context.close(promise: nil) }
            self.request = nil
            let answer = context.eventLoop.makeFutureWithTask { [responder] in await responder.answer(to: request) }
            answer.assumeIsolated().whenSuccess { self.write($0, context) }
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private static func request(_ head: HTTPRequestHead) -> HTTPRequest? {
        HTTPRequest.Method(head.method.rawValue).map {
            HTTPRequest(method: $0, scheme: nil, authority: nil, path: head.uri)
        }
    }

    private func write(_ answer: HTTPAnswer, _ context: ChannelHandlerContext) {
        var head = HTTPResponseHead(
            version: .http1_1,
            status: HTTPResponseStatus(statusCode: answer.head.status.code),
            headers: HTTPHeaders(answer.head.headerFields)
        )
        head.headers.replaceOrAdd(name: "Connection", value: "close")
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        for chunk in AnswerChunks(answer.body) {
            context.write(wrapOutboundOut(.body(.byteBuffer(chunk))), promise: nil)
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { _ in
            context.close(promise: nil)
        }
    }
}
