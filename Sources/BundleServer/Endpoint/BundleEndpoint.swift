import BundleNetwork
import BundleStore
import BundleUpdate
import Foundation
import HTTPCore
import Logging
import ServiceLifecycle
import UnixSignals

/// The HTTP/1.1 and HTTP/2 endpoint: it serves a store's bundles, follows changes of the store by other processes, and
/// optionally checks for updates at an interval. It prints nothing; events go to the logger.
///
/// A value type; it may run any number of times, one run after the other.
public struct BundleEndpoint: Sendable {
    let store: BundleStore
    let configuration: Configuration
    let transport: any OriginTransport
    let updater: Updater?
    let repair: RepairRound?
    let logger: Logger
    let clock: any Clock<Duration>
    let now: @Sendable () -> Date

    /// - Parameters:
    ///   - store: The bundles to serve, and the cache.
    ///   - configuration: The configuration.
    ///   - transport: The network. The caller shuts it down after ``run(gracefulShutdownSignals:onDashboard:onReady:)``.
    ///   - updater: Checks for updates when the configuration has a `checkInterval`; must use the same store.
    ///   - repair: The sources of the correct bytes when something in the store is damaged; nil to repair nothing.
    ///   - logger: Receives updates and failures, and at level `debug` each request.
    ///   - clock: The clock of the services.
    ///   - now: The clock for `Date` and freshness.
    public init(
        _ store: BundleStore,
        configuration: Configuration = Configuration(),
        transport: any OriginTransport,
        updater: Updater? = nil,
        repair: RepairRound? = nil,
        logger: Logger,
        clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.store = store
        self.configuration = configuration
        self.transport = transport
        self.updater = updater
        self.repair = repair
        self.logger = logger
        self.clock = clock
        self.now = now
    }

    /// Serves until one of the signals arrives or the task is cancelled. After a signal new connections are refused
    /// (those to a service manager's sockets wait for the next process), idle ones are closed, and requests under way
    /// are completed, for at most ``Configuration/drainLimit``; the number of connections cut then is logged. SIGUSR1
    /// reopens the access log, and does nothing when there is none.
    ///
    /// - Parameters:
    ///   - gracefulShutdownSignals: The signals that end it; none for an embedder that handles signals itself.
    ///   - onDashboard: Called once after `onReady`, if there is an address for operators, with the URL of the dashboard. Its
    ///     fragment is the secret token that the dashboard is used with, new in each run: who has it can do there what
    ///     the operator can. There is none when the configuration has a token.
    ///   - onReady: Called once when connections are accepted, with the endpoint's URL, such as
    ///     `http://127.0.0.1:8080`; the port is the actual one.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when an address can't be listened on or the
    ///   certificate can't be used, and with code `outputUnavailable` when the access log can't be opened;
    ///   `CancellationError` when the task is cancelled.
    public func run(
        gracefulShutdownSignals: [UnixSignal] = [.sigint, .sigterm],
        onDashboard: @escaping @Sendable (_ url: String) -> Void = { _ in },
        onReady: @escaping @Sendable (_ url: String) -> Void
    ) async throws {
        try await run(
            gracefulShutdownSignals: gracefulShutdownSignals,
            onReload: nil,
            onDashboard: onDashboard,
            onReady: onReady
        )
    }

    /// As above.
    ///
    /// - Parameter onReload: Called at each SIGHUP, once at a time; nil leaves the signal alone, which then ends the process.
    package func run(
        gracefulShutdownSignals: [UnixSignal] = [.sigint, .sigterm],
        onReload: Reloading?,
        onDashboard: @escaping @Sendable (_ url: String) -> Void = { _ in },
        onReady: @escaping @Sendable (_ url: String) -> Void
    ) async throws {
        let group = try await serviceGroup(
            gracefulShutdownSignals: gracefulShutdownSignals,
            onReload: onReload,
            onDashboard: onDashboard,
            onReady: onReady
        )
        try await group.run()
    }

    /// The services that ``run(gracefulShutdownSignals:onDashboard:onReady:)`` runs, for a caller that shuts them down itself.
    /// SIGUSR1 is trapped from now on, and SIGHUP if it reloads.
    ///
    /// - Throws: ``/BundleModel/BundleError`` when the access log or an address can't be opened.
    func serviceGroup(
        gracefulShutdownSignals: [UnixSignal] = [],
        onReload: Reloading? = nil,
        onDashboard: @escaping @Sendable (_ url: String) -> Void = { _ in },
        onReady: @escaping @Sendable (_ url: String) -> Void
    ) async throws(BundleError) -> ServiceGroup {
        // Trapped before readiness is reported: unhandled, the signals end the process.
        let rotation = await UnixSignalsSequence(trapping: .sigusr1)
        let reloading: EndpointAssembly.ReloadSource? =
            if let onReload { (await UnixSignalsSequence(trapping: .sighup), onReload) } else { nil }
        let assembly = try EndpointAssembly(self)
        var group = ServiceGroupConfiguration(
            services: assembly.services(reopeningAt: rotation, reloading: reloading) { url in
                onReady(url)
                assembly.dashboardURL.map(onDashboard)
            },
            gracefulShutdownSignals: gracefulShutdownSignals,
            logger: logger
        )
        group.maximumGracefulShutdownDuration = configuration.drainLimit
        return ServiceGroup(configuration: group)
    }
}
