import HTTPTypes
import NIOCore
import NIOPosix
import Synchronization

/// A server that responds to each request with bytes from a script, whether or not they are HTTP.
package struct RawOrigin: Sendable {
    /// The bytes sent for a request.
    package struct Reply: Sendable {
        let bytes: [UInt8]
        let pieceByteCount: Int
        let isLast: Bool

        /// - Parameters:
        ///   - bytes: The bytes to send.
        ///   - pieceByteCount: How many bytes are sent at once; at least 1.
        ///   - isLast: Whether the connection is closed after them.
        package init(_ bytes: some Sequence<UInt8>, pieceByteCount: Int = 1 << 20, isLast: Bool = true) {
            self.bytes = Array(bytes)
            self.pieceByteCount = max(1, pieceByteCount)
            self.isLast = isLast
        }
    }

    /// `127.0.0.1:PORT`.
    package let authority: String
    private let channel: any Channel

    fileprivate init(_ script: @escaping @Sendable (_ number: Int) -> Reply) async throws {
        let count = Mutex(0)
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { child in
                child.eventLoop.makeCompletedFuture {
                    try child.pipeline.syncOperations.addHandler(
                        RawOriginConnection {
                            script(
                                count.withLock { count in
                                    defer { count += 1 }
                                    return count
                                }
                            )
                        }
                    )
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        authority = "127.0.0.1:\(channel.localAddress?.port ?? 0)"
    }

    package func request(_ method: HTTPRequest.Method = .get) -> HTTPRequest {
        HTTPRequest(method: method, scheme: "http", authority: authority, path: "/")
    }

    fileprivate func stop() async {
        try? await channel.close()
    }
}

/// Runs a server that sends what `script` returns for each request, numbered from 0 across all connections.
package func withRawOrigin<Result>(
    _ script: @escaping @Sendable (_ number: Int) -> RawOrigin.Reply,
    _ body: (RawOrigin) async throws -> Result
) async throws -> Result {
    let origin = try await RawOrigin(script)
    return try await withCleanup {
        try await body(origin)
    } cleanUp: {
        await origin.stop()
    }
}

/// Treats an empty line as the end of a request.
private final class RawOriginConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let reply: () -> RawOrigin.Reply
    private var received: [UInt8] = []

    init(_ reply: @escaping () -> RawOrigin.Reply) {
        self.reply = reply
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += unwrapInboundIn(data).readableBytesView
        while let end = received.firstRange(of: "\r\n\r\n".utf8) {
            received.removeSubrange(..<end.upperBound)
            send(reply(), context)
        }
    }

    private func send(_ reply: RawOrigin.Reply, _ context: ChannelHandlerContext) {
        var rest = ByteBuffer(bytes: reply.bytes)
        while let piece = rest.readSlice(length: min(reply.pieceByteCount, rest.readableBytes)), piece.readableBytes > 0
        {
            context.writeAndFlush(wrapOutboundOut(piece), promise: nil)
        }
        let channel = context.channel
        if reply.isLast {
            context.writeAndFlush(wrapOutboundOut(ByteBuffer())).whenComplete { _ in channel.close(promise: nil) }
        }
    }
}
