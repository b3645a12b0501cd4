import NIOCore
import NIOPosix

/// A forward proxy on 127.0.0.1, which leads to origins of this machine by names that no name server knows.
package struct ForwardProxyServer: Sendable {
    /// What the proxy does.
    package struct Behaviour: Sendable {
        /// The ports of this machine for the hosts, each with its port: `shop.example:443`. Others get 502.
        package var hosts: [String: Int] = [:]
        /// The only value of `Proxy-Authorization` that is accepted; nil when none is needed.
        package var authorization: String?
        /// What each request gets instead: the beginning of the response.
        package var refusal: String?

        package init() {}
    }

    package let port: Int
    /// The requests so far.
    package let requests: Monitor<[RawResponse]>

    /// Where it is, as a URL.
    package var url: String { "http://127.0.0.1:\(port)" }

    /// The request lines so far.
    package var requestLines: [String] { requests.state.map(\.statusLine) }
}

/// Runs a forward proxy, and ends it.
package func withForwardProxy<Result>(
    _ behaviour: ForwardProxyServer.Behaviour,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (ForwardProxyServer) async throws -> Result
) async throws -> Result {
    let requests = Monitor<[RawResponse]>([])
    let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .childChannelInitializer { child in
            child.eventLoop.makeCompletedFuture {
                try child.pipeline.syncOperations.addHandler(ProxyClient(behaviour, requests))
            }
        }
        .bind(host: "127.0.0.1", port: 0).get()
    let proxy = ForwardProxyServer(port: server.localAddress?.port ?? 0, requests: requests)
    return try await withCleanup {
        try await body(proxy)
    } cleanUp: {
        try? await server.close()
    }
}

/// A connection of a client to the proxy: it has one tunnel, or one request.
private final class ProxyClient: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let behaviour: ForwardProxyServer.Behaviour
    private let requests: Monitor<[RawResponse]>
    private var head = ByteBuffer()
    /// What has come since the head.
    private var early: [ByteBuffer] = []
    private var hasHead = false
    private var upstream: (any Channel)?

    init(_ behaviour: ForwardProxyServer.Behaviour, _ requests: Monitor<[RawResponse]>) {
        (self.behaviour, self.requests) = (behaviour, requests)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if let upstream { return upstream.writeAndFlush(bytes, promise: nil) }
        guard !hasHead else { return early.append(bytes) }
        head.writeBuffer(&bytes)
        guard let end = head.readableBytesView.firstRange(of: Array("\r\n\r\n".utf8)) else { return }
        hasHead = true
        let request = RawResponse(head: String(decoding: head.readableBytesView[..<end.lowerBound], as: UTF8.self))
        // The content may come with the head.
        head.moveReaderIndex(to: end.upperBound)
        if head.readableBytes > 0 { early.append(head.slice()) }
        requests.update { $0.append(request) }
        respond(to: request, context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        upstream?.close(promise: nil)
    }

    private func respond(to request: RawResponse, _ context: ChannelHandlerContext) {
        if let refusal = behaviour.refusal { return refuse(refusal, context) }
        guard behaviour.authorization == nil || request["proxy-authorization"] == behaviour.authorization else {
            return refuse(
                "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"a\"\r\n",
                context
            )
        }
        let words = request.statusLine.split(separator: " ").map(String.init)
        let isTunnel = words.first == "CONNECT"
        let rest = words[1].dropFirst(isTunnel ? 0 : "http://".count)
        let authority = String(rest.prefix { $0 != "/" })
        let name = authority.contains(":") ? authority : authority + ":80"
        guard let port = behaviour.hosts[name] else { return refuse("HTTP/1.1 502 Bad Gateway\r\n", context) }
        let path = rest.dropFirst(authority.count)
        let fields = request.fields.filter { $0.name != "proxy-authorization" }.map { "\($0.name): \($0.value)\r\n" }
        let forwarded =
            "\(words[0]) \(path.isEmpty ? "/" : path) HTTP/1.1\r\nconnection: close\r\n" + fields.joined() + "\r\n"
        connect(to: port, sending: isTunnel ? nil : forwarded, context)
    }

    private func refuse(_ beginning: String, _ context: ChannelHandlerContext) {
        let response = ByteBuffer(string: beginning + "Content-Length: 2\r\nConnection: close\r\n\r\nno")
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.writeAndFlush(NIOAny(response)).whenComplete { _ in bound.value.close(promise: nil) }
    }

    /// - Parameter text: What is sent to the origin; nil for a tunnel, whose opening the client learns.
    private func connect(to port: Int, sending text: String?, _ context: ChannelHandlerContext) {
        let client = context.channel
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        ClientBootstrap(group: context.eventLoop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ProxyUpstream(client))
                }
            }
            .connect(host: "127.0.0.1", port: port)
            .whenComplete { result in
                guard case .success(let upstream) = result else { return client.close(promise: nil) }
                let first = text ?? "HTTP/1.1 200 Connection established\r\n\r\n"
                (text == nil ? client : upstream).writeAndFlush(ByteBuffer(string: first), promise: nil)
                for bytes in bound.value.early { upstream.writeAndFlush(bytes, promise: nil) }
                bound.value.upstream = upstream
            }
    }
}

/// The connection of the proxy to an origin.
private final class ProxyUpstream: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let client: any Channel

    init(_ client: any Channel) {
        self.client = client
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        client.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        client.close(promise: nil)
    }
}
