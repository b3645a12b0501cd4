import NIOCore
import NIOPosix

/// Connects to the first of several addresses that responds: to the next one when one fails, or when none is connected
/// after a quarter of a second (RFC 8305 §5, in its simple form).
///
/// `@unchecked Sendable`: everything but ``cancel()`` is called on the event loop.
final class ConnectionAttempt: @unchecked Sendable {
    private let loop: any EventLoop
    private let limits: TransportLimits
    private let connection: () -> ClientConnection
    private let promise: EventLoopPromise<ClientConnection>
    private var addresses: ArraySlice<SocketAddress>
    private var pending: [ObjectIdentifier: ClientConnection] = [:]
    private var nextTimer: Scheduled<Void>?
    private var limitTimer: Scheduled<Void>?
    private var firstError: (any Error)?
    private var isDone = false

    /// - Parameter connection: Makes a connection that isn't connected.
    init(
        _ addresses: [SocketAddress],
        on loop: any EventLoop,
        limits: TransportLimits,
        connection: @escaping @Sendable () -> ClientConnection
    ) {
        self.loop = loop
        self.limits = limits
        self.connection = connection
        self.addresses = addresses[...]
        promise = loop.makePromise()
    }

    /// The connection, once it is ready for requests. Fails with the error of the first address that failed.
    func start(within limit: Duration) -> EventLoopFuture<ClientConnection> {
        loop.runNow { [self] in
            // The cancellation may have come before.
            guard !isDone else { return }
            limitTimer = loop.scheduleTask(in: TimeAmount(limit)) { self.finish(.failure(ConnectionProblem.notInTime)) }
            startNext()
        }
        return promise.futureResult
    }

    /// Gives up. From any thread.
    func cancel() {
        loop.runNow { self.finish(.failure(CancellationError())) }
    }

    private func startNext() {
        nextTimer?.cancel()
        guard !isDone, let address = addresses.popFirst() else { return }
        let connection = connection()
        pending[ObjectIdentifier(connection)] = connection
        // They must not keep the connection, which keeps them.
        connection.onReady = ready
        connection.onConnect = { [self] in nextTimer?.cancel() }
        // Before connecting, which may fail at once and go on to the next address.
        if !addresses.isEmpty {
            nextTimer = loop.scheduleTask(in: TimeAmount(limits.nextAddress)) { self.startNext() }
        }
        ClientBootstrap(group: loop)
            .connectTimeout(TimeAmount(limits.connecting))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try connection.attach(to: channel) }
            }
            .connect(to: address)
            .whenFailure { self.ready(connection, .failure($0)) }
    }

    private func ready(_ connection: ClientConnection, _ result: Result<Void, any Error>) {
        guard pending.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        switch result {
        case .success: finish(.success(connection))
        case .failure(let error):
            connection.close()
            firstError = firstError ?? error
            if !addresses.isEmpty {
                startNext()
            } else if pending.isEmpty {
                finish(.failure(firstError ?? error))
            }
        }
    }

    private func finish(_ result: Result<ClientConnection, any Error>) {
        guard !isDone else { return }
        isDone = true
        nextTimer?.cancel()
        limitTimer?.cancel()
        for connection in pending.values { connection.close() }
        pending = [:]
        promise.completeWith(result)
    }
}
