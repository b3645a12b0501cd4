import BundleStore
import Logging
import ServerCore
import ServiceLifecycle
import Synchronization

/// Accepts connections from sockets and serves each, until it is shut down.
struct EndpointListener: Service {
    let sockets: [ListeningSocket]
    let acceptor: ConnectionAcceptor
    let channel: ConnectionChannel
    /// `https` when requests come over TLS, otherwise `http`.
    let scheme: String
    /// How long it may take to shut down, for the log.
    let drainLimit: Duration
    /// Nil when no service manager watches the process.
    let watchdog: Watchdog?
    let logger: Logger
    let onReady: @Sendable (_ url: String) -> Void

    /// - Throws: `IOError` when the process has no descriptors left.
    func run() async throws {
        let drainStart = Mutex<ContinuousClock.Instant?>(nil)
        defer { for socket in sockets { socket.close() } }
        let accepting = try await acceptor.accept(from: sockets, for: channel)
        let cutCount = await withTaskCancellationHandler {
            await withGracefulShutdownHandler {
                if let first = sockets.first { onReady(first.url(scheme: scheme)) }
                async let _: Void? = watchdog?.run { await accepting.probe() }
                return await accepting.end()
            } onGracefulShutdown: {
                logger.info("shutting down: responses under way have \(drainLimit) to be sent")
                drainStart.withLock { $0 = .now }
                accepting.drain()
            }
        } onCancel: {
            // No request may finish, but the threads have to end.
            accepting.stop()
        }
        reportCut(cutCount)
        guard let start = drainStart.withLock({ $0 }) else { return }
        let milliseconds = Int(start.duration(to: .now) / .milliseconds(1))
        logger.info("no connection is left; waited \(milliseconds) ms for responses under way")
    }

    private func reportCut(_ count: Int) {
        guard count > 0, Task.isShuttingDownGracefully else { return }
        let connections = count == 1 ? "1 connection" : "\(count) connections"
        logger.notice("\(connections) with requests under way cut: they took more than \(drainLimit) to finish")
    }
}
