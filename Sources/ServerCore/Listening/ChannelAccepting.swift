import HTTPCore
import NIOCore
import NIOPosix

/// Accepts each connection as a channel.
package final class ChannelAccepting: Accepting {
    private let sockets: [ListeningSocket]
    private let listeners: [any Channel]
    private let channels: OpenChannels

    /// - Parameter makesRoom: Whether a new connection beyond a limit takes the place of an idle one.
    /// - Throws: `IOError` when the system has no descriptors left.
    package init(
        from sockets: [ListeningSocket],
        for channel: ConnectionChannel,
        limiter: AddressLimiter,
        makesRoom: Bool = false,
        failures: AcceptFailureLog
    ) async throws {
        channels = channel.openChannels
        self.sockets = sockets
        let waiting = AddressLimiter(limit: Admission.maximumWaitingCount, perAddress: Admission.maximumWaitingCount)
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { [channels] child in
                let admission = Admission(limiter: limiter, reclaimable: makesRoom ? channels : nil, waiting: waiting)
                return admission.permit(for: child, attempt: 0).flatMapThrowing { try channel.setUp(child, permit: $0) }
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

    package func probe() async { await MultiThreadedEventLoopGroup.singleton.probe() }

    package func end() async -> Int {
        for listener in listeners { try? await listener.closeFuture.get() }
        await channels.waitUntilClosed()
        return channels.cutCount
    }
}

/// Gives new connections their places.
private struct Admission: Sendable {
    /// How many new connections wait until an old one is idle; they have descriptors, too.
    static let maximumWaitingCount = 256
    /// How often these look, and how long they wait each time.
    private static let attemptCount = 20
    private static let pause = TimeAmount.milliseconds(10)

    let limiter: AddressLimiter
    /// The channels, the oldest idle of which gives its place to a new one; nil when none does.
    let reclaimable: OpenChannels?
    let waiting: AddressLimiter

    /// The place of a new connection; fails when there is none.
    func permit(for child: any Channel, attempt: Int) -> EventLoopFuture<AddressLimiter.Permit> {
        let address = child.remoteAddress?.peer
        if let permit = limiter.acquire(for: address) ?? reclaimedPermit(for: address) {
            return child.eventLoop.makeSucceededFuture(permit)
        }
        guard reclaimable != nil, attempt < Self.attemptCount, let place = waiting.acquire(for: nil) else {
            return child.eventLoop.makeFailedFuture(ChannelError.eof)
        }
        return child.eventLoop.scheduleTask(in: Self.pause) { withExtendedLifetime(place) {} }
            .futureResult.flatMap { permit(for: child, attempt: attempt + 1) }
    }

    /// The place of the oldest idle connection.
    private func reclaimedPermit(for address: PeerAddress?) -> AddressLimiter.Permit? {
        guard reclaimable?.makeRoom(for: limiter.isFull(address) ? address : nil) == true else { return nil }
        return limiter.acquire(for: address)
    }
}

extension ServerBootstrap {
    /// Accepts from all of these sockets, or from none.
    ///
    /// - Parameter failures: Records failures to accept connections.
    /// - Returns: The accepting channels, which the caller closes.
    /// - Throws: `IOError` when the process has no descriptors left.
    func accept(from sockets: [ListeningSocket], failures: AcceptFailureLog) async throws -> [any Channel] {
        var channels: [any Channel] = []
        do {
            for socket in sockets {
                let channel = try await withBoundSocket(socket.duplicate()).get()
                channels.append(channel)
                try await channel.eventLoop.submit {
                    try channel.pipeline.syncOperations.addHandler(AcceptPause(failures), position: .first)
                }.get()
                // NIO calls listen(2) again with a backlog of 128, whatever its option says: the option applies only to
                // sockets that it binds itself.
                try StreamSocket(descriptor: socket.descriptor).startListening()
            }
        } catch {
            for channel in channels { try? await channel.close() }
            throw error
        }
        return channels
    }
}

/// Stops accepting for a while when it fails, for example without free descriptors: otherwise the loop would report the
/// waiting connection repeatedly. NIO's own `AcceptBackoffHandler` postpones the next read, but the failed one stays
/// pending.
final class AcceptPause: ChannelInboundHandler {
    typealias InboundIn = any Channel

    static let duration = TimeAmount.milliseconds(250)

    private let failures: AcceptFailureLog

    init(_ failures: AcceptFailureLog) {
        self.failures = failures
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let failure = error as? IOError else { return context.fireErrorCaught(error) }
        failures.report(failure.errnoCode)
        try? context.channel.syncOptions?.setOption(.autoRead, value: false)
        let channel = context.channel
        context.eventLoop.scheduleTask(in: Self.duration) {
            // It may have been closed in the meantime.
            try? channel.syncOptions?.setOption(.autoRead, value: true)
        }
    }
}
