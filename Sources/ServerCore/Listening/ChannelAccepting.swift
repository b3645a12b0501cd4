import BundleServing
import NIOCore
import NIOPosix

/// Accepts each connection as a channel.
package final class ChannelAccepting: Accepting {
    private let sockets: [ListeningSocket]
    private let listeners: [any Channel]
    private let channels: OpenChannels

    /// - Parameter reserve: How many places below a limit are left by idle connections to new ones.
    /// - Throws: `IOError` when the system has no descriptors left.
    package init(
        from sockets: [ListeningSocket],
        for channel: ConnectionChannel,
        census: AddressCensus,
        reserve: Int = 0,
        failures: AcceptFailureLog
    ) async throws {
        channels = channel.openChannels
        self.sockets = sockets
        let admission = Admission(census, reserve: reserve, channels)
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { child in admission.admit(child, to: channel) }
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

/// Lets new connections in, in place of idle ones where there are many. Thread-safe.
private struct Admission: Sendable {
    /// How long a new connection waits until an idle one has closed: so often, and so long each time.
    private static let attemptCount = 20
    private static let pause = TimeAmount.milliseconds(10)

    private let census: AddressCensus
    private let reserve: Int
    private let channels: OpenChannels
    /// Those who wait; they have descriptors, too.
    private let anteroom: AddressCensus

    init(_ census: AddressCensus, reserve: Int, _ channels: OpenChannels) {
        (self.census, self.reserve, self.channels) = (census, reserve, channels)
        anteroom = AddressCensus(limit: reserve, perAddress: reserve)
    }

    func admit(_ child: any Channel, to channel: ConnectionChannel) -> EventLoopFuture<Void> {
        let address = child.remoteAddress?.peer
        if let seat = census.enter(from: address) {
            makeRoom(around: address)
            return child.eventLoop.makeCompletedFuture { try channel.setUp(child, seat: seat) }
        }
        guard let place = anteroom.enter(from: address) else {
            return child.eventLoop.makeFailedFuture(ChannelError.eof)
        }
        return wait(child, for: channel, place, attempt: 1)
    }

    private func wait(
        _ child: any Channel,
        for channel: ConnectionChannel,
        _ place: AddressCensus.Seat,
        attempt: Int
    ) -> EventLoopFuture<Void> {
        let address = child.remoteAddress?.peer
        makeRoom(around: address)
        return child.eventLoop.scheduleTask(in: Self.pause) {}.futureResult.flatMap {
            if let seat = census.enter(from: address) {
                return child.eventLoop.makeCompletedFuture { try channel.setUp(child, seat: seat) }
            }
            guard attempt < Self.attemptCount else { return child.eventLoop.makeFailedFuture(ChannelError.eof) }
            return wait(child, for: channel, place, attempt: attempt + 1)
        }
    }

    private func makeRoom(around address: PeerAddress?) {
        guard let crowd = census.crowd(around: address, leaving: reserve) else { return }
        channels.makeRoom(at: crowd == .address ? address : nil)
    }
}
