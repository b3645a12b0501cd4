import BundleNetwork
import BundleStore
import Foundation
import Logging
import ServiceLifecycle
import UnixSignals

/// The HTTP/1.1 and HTTP/2 endpoint: answers for a store's bundles, follows what other processes do to the store, and on demand
/// checks for updates on its own clock. Nothing is printed; what is worth knowing goes to the logger.
///
/// A value; one may run any number of times, one run after the other.
public struct BundleEndpoint: Sendable {
    /// The rules that its cache goes by: it answers whoever reaches its address (RFC 9111 §1, “shared cache”).
    public static let cachePolicy = CachePolicy(isShared: true)

    let store: BundleStore
    let configuration: Configuration
    let transport: any OriginTransport
    let updater: Updater?
    let repair: RepairRound?
    let logger: Logger
    let clock: any Clock<Duration>
    let now: @Sendable () -> Date

    /// - Parameters:
    ///   - store: The bundles to answer from, and the cache.
    ///   - configuration: Where and how to serve.
    ///   - transport: The network. The caller shuts it down after ``run(gracefulShutdownSignals:onReady:)``.
    ///   - updater: What checks for updates when the configuration has a `checkInterval`; works on the same store.
    ///   - repair: Where the right bytes are searched when something in the store is found damaged; nil to repair nothing.
    ///   - logger: Told about updates and failures, and at level `debug` about each request.
    ///   - clock: The clock that the services sleep by.
    ///   - now: The clock that gives `Date` and judges freshness.
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

    /// Serves until one of the signals comes or the task is cancelled. After a signal connections are refused (those to a
    /// service manager's sockets wait for the next process), idle ones are closed, and requests under way are finished, for at
    /// most ``Configuration/drainLimit``; what is cut then is logged. SIGUSR1 opens the access log anew, and does nothing when
    /// there is none.
    ///
    /// - Parameters:
    ///   - gracefulShutdownSignals: The signals that end it; none for an embedder that handles signals itself.
    ///   - onReady: Called once when connections are accepted, with the endpoint's URL, such as `http://127.0.0.1:8080`;
    ///     the port is the real one.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when an address can't be listened on or the
    ///   certificate can't be used, and with code `outputUnavailable` when the access log can't be opened;
    ///   `CancellationError` when the task is cancelled.
    public func run(
        gracefulShutdownSignals: [UnixSignal] = [.sigint, .sigterm],
        onReady: @escaping @Sendable (_ url: String) -> Void
    ) async throws {
        let group = try await serviceGroup(gracefulShutdownSignals: gracefulShutdownSignals, onReady: onReady)
        try await group.run()
    }

    /// What ``run(gracefulShutdownSignals:onReady:)`` runs, to be shut down by a caller of its own. SIGUSR1 is trapped from now
    /// on.
    ///
    /// - Throws: ``/BundleModel/BundleError`` when the access log or an address can't be opened.
    func serviceGroup(
        gracefulShutdownSignals: [UnixSignal] = [],
        onReady: @escaping @Sendable (_ url: String) -> Void
    ) async throws(BundleError) -> ServiceGroup {
        // Trapped before anybody is told that the server is there: unhandled it ends the process.
        let rotation = await UnixSignalsSequence(trapping: .sigusr1)
        let assembly = try EndpointAssembly(self)
        var group = ServiceGroupConfiguration(
            services: assembly.services(reopeningAt: rotation, onReady: onReady),
            gracefulShutdownSignals: gracefulShutdownSignals,
            logger: logger
        )
        group.maximumGracefulShutdownDuration = configuration.drainLimit
        return ServiceGroup(configuration: group)
    }
}
