import NIOCore
import NIOPosix

/// Accepts each connection as a channel.
final class ChannelAccepting: Accepting {
    let connections: AsyncStream<@Sendable () async throws -> AcceptedConnection>
    private let continuation: AsyncStream<@Sendable () async throws -> AcceptedConnection>.Continuation
    private let sockets: [ListeningSocket]
    private let listeners: [any Channel]
    private let channels: OpenChannels

    /// - Throws: `IOError` when the system has no descriptors left.
    init(
        from sockets: [ListeningSocket],
        for channel: EndpointChannel,
        census: ConnectionCensus,
        failures: AcceptFailureLog
    ) async throws {
        let (connections, continuation) = AsyncStream.makeStream(
            of: (@Sendable () async throws -> AcceptedConnection).self
        )
        (self.connections, self.continuation) = (connections, continuation)
        channels = channel.openChannels
        self.sockets = sockets
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { child in
                let address = child.remoteAddress.flatMap { $0.withSockAddr { address, _ in PeerAddress(address) } }
                guard let seat = census.enter(from: address) else {
                    return child.eventLoop.makeFailedFuture(ChannelError.eof)
                }
                return channel.setUp(child, seat: seat).map { accepted in
                    continuation.yield { accepted }
                }
            }
        listeners = try await bootstrap.accept(from: sockets, failures: failures)
    }

    func drain() {
        stop()
        for socket in sockets { socket.close() }
        channels.quiesce()
    }

    func stop() {
        continuation.finish()
        for listener in listeners { listener.close(promise: nil) }
    }

    func end() async -> Int {
        for listener in listeners { try? await listener.closeFuture.get() }
        return channels.cutCount
    }
}
