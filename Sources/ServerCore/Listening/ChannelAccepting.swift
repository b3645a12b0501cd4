import NIOCore
import NIOPosix

/// Accepts each connection as a channel.
package final class ChannelAccepting: Accepting {
    private let sockets: [ListeningSocket]
    private let listeners: [any Channel]
    private let channels: OpenChannels

    /// - Throws: `IOError` when the system has no descriptors left.
    package init(
        from sockets: [ListeningSocket],
        for channel: ConnectionChannel,
        census: ConnectionCensus,
        failures: AcceptFailureLog
    ) async throws {
        channels = channel.openChannels
        self.sockets = sockets
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { child in
                let address = child.remoteAddress?.peer
                guard let seat = census.enter(from: address) else {
                    return child.eventLoop.makeFailedFuture(ChannelError.eof)
                }
                return child.eventLoop.makeCompletedFuture { try channel.setUp(child, seat: seat) }
            }
        listeners = try await bootstrap.accept(from: sockets, failures: failures)
    }

    package func drain() {
        for listener in listeners { listener.close(promise: nil) }
        for socket in sockets { socket.close() }
        channels.quiesce()
    }

    package func stop() {
        for listener in listeners { listener.close(promise: nil) }
        channels.cutAll()
    }

    package func end() async -> Int {
        for listener in listeners { try? await listener.closeFuture.get() }
        await channels.waitUntilClosed()
        return channels.cutCount
    }
}
