import BundleStore
import Logging
import ServiceLifecycle

/// Accepts connections from sockets and answers on each connection, until it is shut down.
struct EndpointListener: Service {
    let sockets: [ListeningSocket]
    let acceptor: ConnectionAcceptor
    let channel: EndpointChannel
    /// How long it may take to shut down, for the log.
    let drainLimit: Duration
    let logger: Logger
    let onReady: @Sendable (_ url: String) -> Void

    /// - Throws: `IOError` when the process has no descriptors left.
    func run() async throws {
        defer { for socket in sockets { socket.close() } }
        let accepting = try await acceptor.accept(from: sockets, for: channel)
        await withGracefulShutdownHandler {
            if let first = sockets.first { onReady(first.url(scheme: channel.scheme)) }
            await withDiscardingTaskGroup { group in
                for await connection in accepting.connections {
                    group.addTask { await channel.handle(connection, logger: logger) }
                }
            }
        } onGracefulShutdown: {
            accepting.drain()
        }
        // Drained, it has ended by now. A task that is cancelled lets nobody finish, but its threads have to be gone.
        accepting.stop()
        reportCut(await accepting.end())
    }

    private func reportCut(_ count: Int) {
        guard count > 0, Task.isShuttingDownGracefully else { return }
        let connections = count == 1 ? "1 connection" : "\(count) connections"
        logger.notice("\(connections) with requests under way cut: they took more than \(drainLimit) to finish")
    }
}
