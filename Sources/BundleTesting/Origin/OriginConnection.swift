import HTTPTypes
import NIOCore
import NIOHTTP1

/// One connection of an origin: NIO's own HTTP/1.1, so that what the tests' origin sends isn't made by the code that
/// they test. For use on the connection's event loop.
final class OriginConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart
    /// Makes the response to a request; what it throws closes the connection.
    typealias Responder = @Sendable (HTTPRequest, [UInt8]) async throws -> OriginDelivery

    private let responder: Responder
    private var head: HTTPRequestHead?
    private var content: [UInt8] = []
    /// NIO holds back the requests behind the one whose response is under way.
    private var responding: Task<Void, Never>?

    init(_ responder: @escaping Responder) {
        self.responder = responder
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): (self.head, content) = (head, [])
        case .body(let bytes): content += bytes.readableBytesView
        case .end: respond(context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        responding?.cancel()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func respond(_ context: ChannelHandlerContext) {
        guard let head, let request = HTTPRequest(head) else { return context.close(promise: nil) }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        responding = Task { [responder, content, loop = context.eventLoop, isKeptAlive = head.isKeepAlive] in
            let delivery = try? await responder(request, content)
            loop.execute {
                let (connection, context) = bound.value
                connection.send(delivery, isKeptAlive: isKeptAlive, context)
            }
        }
    }

    private func send(_ delivery: OriginDelivery?, isKeptAlive: Bool, _ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        guard let delivery else { return context.close(promise: nil) }
        context.write(wrapOutboundOut(.head(HTTPResponseHead(delivery.head))), promise: nil)
        if !delivery.body.isEmpty {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: delivery.body)))), promise: nil)
        }
        if !delivery.closesConnection { context.write(wrapOutboundOut(.end(nil)), promise: nil) }
        context.flush()
        guard delivery.closesConnection || !isKeptAlive else { return }
        // Closing only the output first sends what is still queued: the client gets exactly these bytes.
        context.close(mode: .output, promise: nil)
    }
}

extension HTTPRequest {
    /// Nil for a method that isn't a token.
    fileprivate init?(_ head: HTTPRequestHead) {
        guard let method = Method(head.method.rawValue) else { return nil }
        var fields = HTTPFields()
        for (name, value) in head.headers {
            guard let name = HTTPField.Name(name), name.canonicalName != "host" else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        self.init(
            method: method,
            scheme: "http",
            authority: head.headers.first(name: "host"),
            path: head.uri,
            headerFields: fields
        )
    }
}

extension HTTPResponseHead {
    fileprivate init(_ response: HTTPResponse) {
        self.init(
            version: .http1_1,
            status: HTTPResponseStatus(statusCode: response.status.code, reasonPhrase: response.status.reasonPhrase),
            headers: HTTPHeaders(response.headerFields.map { ($0.name.rawName, $0.value) })
        )
    }
}
