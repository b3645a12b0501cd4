import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import ServiceLifecycle

/// Listens for operators, apart from everybody else, for as long as the server runs and drains.
struct AdminListener: Service {
    /// How long a connection may be silent.
    private static let idleTimeout = TimeAmount.seconds(30)

    let sockets: [ListeningSocket]
    let responder: AdminResponder
    let logger: Logger

    /// - Throws: `IOError` when the process has no descriptors left.
    func run() async throws {
        defer { for socket in sockets { socket.close() } }
        var channels: [any Channel] = []
        for socket in sockets {
            channels.append(try await bootstrap.withBoundSocket(socket.duplicate()).get())
            logger.info("metrics and health are at \(socket.url())")
        }
        // Throws only when the task is cancelled, which is an end as well.
        try? await gracefulShutdown()
        for channel in channels { try? await channel.close() }
    }

    private var bootstrap: ServerBootstrap {
        ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { [responder] channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(IdleStateHandler(allTimeout: Self.idleTimeout))
                    try pipeline.configureHTTPServerPipeline()
                    try pipeline.addHandler(AdminConnection(responder))
                }
            }
    }
}
