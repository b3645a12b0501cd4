import BundleServing
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// Responds to one request of an operator and closes the connection: such requests are too rare to keep it open.
final class AdminConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let responder: AdminResponder
    private let lifetime: TimeAmount
    private var request: Result<HTTPRequest, RefusedRequest>?
    private var end: Scheduled<Void>?

    /// - Parameter lifetime: How long the connection may last, whatever is sent on it.
    init(_ responder: AdminResponder, lifetime: TimeAmount) {
        self.responder = responder
        self.lifetime = lifetime
    }

    func handlerAdded(context: ChannelHandlerContext) {
        end = context.eventLoop.assumeIsolated().scheduleTask(in: lifetime) { context.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end?.cancel()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): request = Self.request(head)
        case .body: break
        case .end:
            guard let request else { return context.close(promise: nil) }
            self.request = nil
            response(request, context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private static func request(_ head: HTTPRequestHead) -> Result<HTTPRequest, RefusedRequest> {
        do {
            return .success(try HTTPRequest(received: head))
        } catch {
            return .failure(RefusedRequest(error, of: head))
        }
    }

    private func response(_ request: Result<HTTPRequest, RefusedRequest>, _ context: ChannelHandlerContext) {
        switch request {
        case .failure(let refusal): write(refusal.response, context)
        case .success(let request):
            let response = context.eventLoop.makeFutureWithTask { [responder] in await responder.response(to: request) }
            response.assumeIsolated().whenSuccess { self.write($0, context) }
        }
    }

    private func write(_ response: Response, _ context: ChannelHandlerContext) {
        var head = HTTPResponseHead(
            version: .http1_1,
            status: HTTPResponseStatus(statusCode: response.head.status.code),
            headers: HTTPHeaders(response.head.headerFields)
        )
        head.headers.replaceOrAdd(name: "Connection", value: "close")
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        for chunk in BodyChunks(response.body) {
            context.write(wrapOutboundOut(.body(.byteBuffer(chunk))), promise: nil)
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { _ in
            context.close(promise: nil)
        }
    }
}
