import BundleNetwork
import BundleStore
import BundleTransport
import HTTPCore
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

extension OriginNetwork {
    /// Registers the addresses that an endpoint listens on, which are never connected to. The endpoint may connect to
    /// the machine and its network if it is reachable from the machine only. One that serves other hosts isn't: a
    /// reverse proxy or a tunnel forwards requests from elsewhere.
    ///
    /// - Parameters:
    ///   - addresses: The endpoint's own addresses, with their actual ports.
    ///   - operators: The addresses for operators.
    ///   - hosts: The hosts that the operator has it serve, in addition to the machine's own.
    func serve(at addresses: [ListenAddress], operators: [ListenAddress], hosts: Set<AllowedHost> = []) {
        let isLocal =
            addresses.allSatisfy(\.isReachableFromMachineAlone) && hosts.allSatisfy(\.isReachableFromMachineAlone)
        serve(at: (addresses + operators).compactMap(\.listener), isLocal: isLocal)
    }
}

extension AllowedHost {
    /// Whether only clients on this machine can use it for the endpoint.
    fileprivate var isReachableFromMachineAlone: Bool {
        switch self {
        case .any: false
        case .named(let host): NetworkScope(ofHost: host) == .loopback
        }
    }
}

extension ListenAddress {
    /// Whether only this machine can connect to it. Sockets of unknown addresses may be reachable from anywhere.
    fileprivate var isReachableFromMachineAlone: Bool {
        switch self {
        case .tcp(let host, _): NetworkAddress(host).map(NetworkScope.init) == .loopback
        case .unix: true
        case .inherited: false
        }
    }

    /// Nil for a listener that no connection to an IP address reaches.
    fileprivate var listener: OriginNetwork.Listener? {
        guard case .tcp(let host, let port) = self, let address = NetworkAddress(host) else { return nil }
        return OriginNetwork.Listener(address, port: port)
    }
}
