import BundleServing
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// A listening socket of an origin, and the connections that it has accepted. Thread-safe.
final class OriginListener: Sendable {
    private struct State: Sendable {
        var connections: [ObjectIdentifier: any Channel] = [:]
        var isStopped = false
    }

    /// The port that it listens on.
    let port: Int
    private let channel: any Channel
    private let state: Monitor<State>

    /// Returns once connections are accepted.
    ///
    /// - Parameter tls: For connections over TLS; nil for clear text.
    /// - Throws: NIO's error when the address can't be bound.
    init(
        host: String,
        port: Int,
        tls: NIOSSLContext?,
        responder: @escaping OriginConnection.Responder
    ) async throws {
        let state = Monitor(State())
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            // An origin that starts again has the port that it had before.
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { child in
                child.eventLoop.makeCompletedFuture {
                    try OriginListener.admit(child, to: state)
                    let pipeline = child.pipeline.syncOperations
                    if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
                    try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: true, withErrorHandling: true)
                    try pipeline.addHandler(OriginConnection(responder))
                }
            }
            .bind(host: host, port: port).get()
        self.state = state
        self.port = channel.localAddress?.port ?? 0
    }

    /// Stops listening, closes every connection, and returns when both are done.
    func stop() async {
        try? await channel.close()
        let connections = state.update { state in
            state.isStopped = true
            return state.connections
        }
        for connection in connections.values { try? await connection.close() }
    }

    /// - Throws: When the listener has been stopped since the connection was accepted.
    private static func admit(_ child: any Channel, to state: Monitor<State>) throws {
        let isAdmitted = state.update { state in
            if !state.isStopped { state.connections[ObjectIdentifier(child)] = child }
            return !state.isStopped
        }
        guard isAdmitted else { throw ChannelError.ioOnClosedChannel }
        child.closeFuture.whenComplete { _ in state.update { $0.connections[ObjectIdentifier(child)] = nil } }
    }
}

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

/// A response as it is sent, including faults.
struct OriginDelivery: Sendable {
    private(set) var head: HTTPResponse
    private(set) var body: [UInt8]
    private(set) var closesConnection = false

    init(of response: ScriptedResponse, to method: HTTPRequest.Method, faults: [OriginFault], date: Date) {
        head = HTTPResponse(status: response.status, headerFields: response.fields)
        body = OriginDelivery.hasBody(response.status) ? response.body : []
        if head.headerFields[.date] == nil { head.headerFields[.date] = HTTPDate(date)?.fieldValue }
        if head.headerFields[.contentLength] == nil, OriginDelivery.hasBody(response.status) {
            head.headerFields[.contentLength] = String(body.count)
        }
        if method == .head { body = [] }
        for fault in faults { apply(fault) }
    }

    private mutating func apply(_ fault: OriginFault) {
        switch fault {
        case .close(let count):
            body = Array(body.prefix(count))
            closesConnection = true
        case .announceLength(let length):
            head.headerFields[.contentLength] = String(length)
            closesConnection = true
        case .chunked:
            // The server's encoder uses chunks when no length is given (RFC 9112 section 6.3).
            head.headerFields[.contentLength] = nil
        case .hold, .status:
            // These take effect before there is a response.
            break
        }
    }

    /// RFC 9110 section 6.4.1.
    private static func hasBody(_ status: HTTPResponse.Status) -> Bool {
        status.kind != .informational && status != .noContent && status != .notModified
    }
}
