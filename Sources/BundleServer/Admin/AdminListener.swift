import Foundation
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import ServiceLifecycle

/// Listens for operators, separately from clients, while the server runs and drains.
struct AdminListener: Service {
    /// Scrapers and probes need one or two.
    static let maximumConnectionCount = 64

    let sockets: [ListeningSocket]
    let responder: AdminResponder
    let logger: Logger
    /// How long a connection may last, whatever is sent on it.
    var lifetime = TimeAmount.seconds(30)

    /// - Throws: `IOError` when the process has no descriptors left.
    func run() async throws {
        defer { for socket in sockets { socket.close() } }
        let failures = AcceptFailureLog(logger: logger) { Date() }
        let channels = try await bootstrap.accept(from: sockets, failures: failures)
        for socket in sockets { logger.info("metrics and health are at \(socket.url())") }
        // Throws only when the task is cancelled, which is also a reason to end.
        try? await gracefulShutdown()
        for channel in channels { try? await channel.close() }
    }

    private var bootstrap: ServerBootstrap {
        let census = ConnectionCensus(limits: Self.limits, metrics: nil)
        return ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { [responder, lifetime] channel in
                guard let seat = census.enter(from: nil) else {
                    return channel.eventLoop.makeFailedFuture(ChannelError.eof)
                }
                channel.closeFuture.whenComplete { _ in withExtendedLifetime(seat) {} }
                return channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.configureHTTPServerPipeline()
                    try pipeline.addHandler(AdminConnection(responder, lifetime: lifetime))
                }
            }
    }

    private static var limits: EndpointLimits {
        var limits = EndpointLimits()
        limits.connections = maximumConnectionCount
        return limits
    }
}
