import BundleNetwork
import BundleServing
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

    private let store: BundleStore
    private let configuration: Configuration
    private let transport: any OriginTransport
    private let updater: Updater?
    private let logger: Logger
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Date

    /// - Parameters:
    ///   - store: The bundles to answer from, and the cache.
    ///   - configuration: Where and how to serve.
    ///   - transport: The network. The caller shuts it down after ``run(gracefulShutdownSignals:onReady:)``.
    ///   - updater: What checks for updates when the configuration has a `checkInterval`; works on the same store.
    ///   - logger: Told about updates and failures, and at level `debug` about each request.
    ///   - clock: The clock that the services sleep by.
    ///   - now: The clock that gives `Date` and judges freshness.
    public init(
        _ store: BundleStore,
        configuration: Configuration = Configuration(),
        transport: any OriginTransport,
        updater: Updater? = nil,
        logger: Logger,
        clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.store = store
        self.configuration = configuration
        self.transport = transport
        self.updater = updater
        self.logger = logger
        self.clock = clock
        self.now = now
    }

    /// Serves until one of the signals comes or the task is cancelled. After a signal no connection is accepted, idle ones
    /// are closed, and requests under way are finished, for at most ``Configuration/drainLimit``.
    ///
    /// - Parameters:
    ///   - gracefulShutdownSignals: The signals that end it; none for an embedder that handles signals itself.
    ///   - onReady: Called once when connections are accepted, with the endpoint's URL, such as `http://127.0.0.1:8080`;
    ///     the port is the real one.
    /// - Throws: ``BundleStore/BundleError`` with code `invalidArgument` when an address can't be listened on or the
    ///   certificate can't be used, and with code `outputUnavailable` when the access log can't be opened;
    ///   `CancellationError` when the task is cancelled.
    public func run(
        gracefulShutdownSignals: [UnixSignal] = [.sigint, .sigterm],
        onReady: @escaping @Sendable (_ url: String) -> Void
    ) async throws {
        try await serviceGroup(gracefulShutdownSignals: gracefulShutdownSignals, onReady: onReady).run()
    }

    /// What ``run(gracefulShutdownSignals:onReady:)`` runs, to be shut down by a caller of its own.
    ///
    /// - Throws: ``BundleStore/BundleError`` when the access log or the operators' address can't be opened.
    func serviceGroup(
        gracefulShutdownSignals: [UnixSignal] = [],
        onReady: @escaping @Sendable (_ url: String) -> Void
    ) throws(BundleError) -> ServiceGroup {
        let tls = try configuration.tls.map { files throws(BundleError) in TLSIdentitySource(try TLSIdentity(files)) }
        let resolver = LiveResolver(store, mounts: configuration.mounts)
        let health = EndpointHealth()
        let lifecycle = EndpointLifecycle(
            health: health,
            manager: ServiceManager(ProcessInfo.processInfo.environment)
        )
        let adminSockets = try configuration.admin.map { address throws(BundleError) in
            try ListeningSocket.open(address, option: "--admin")
        }
        let metrics = EndpointMetrics()
        let log = try accessLog()
        let observer = adminSockets == nil && log == nil ? nil : RequestObserver(metrics: metrics, log: log)
        let variants = configuration.variantQuota.map { VariantMaker(store, quota: $0, clock: clock, logger: logger) }
        let watcher = StoreWatcher(store, resolver, health: health, clock: clock, logger: logger) {
            variants?.storeChanged(to: $0)
        }
        let listener = listener(resolver, variants, tls, health, metrics, observer) { url in
            lifecycle.start()
            onReady(url)
        }
        // They are shut down from the last to the first: the store is watched, and operators are answered, for as long as
        // anything is answered, and what is answered is logged.
        let services =
            keepers(of: log) + admin(adminSockets ?? [], health, metrics, log) + [watcher]
            + [variants].compactMap(\.self) + updateServices
            + certificateServices(tls) + [listener, lifecycle]
        var group = ServiceGroupConfiguration(
            services: services,
            gracefulShutdownSignals: gracefulShutdownSignals,
            logger: logger
        )
        group.maximumGracefulShutdownDuration = configuration.drainLimit
        return ServiceGroup(configuration: group)
    }

    private func accessLog() throws(BundleError) -> AccessLog? {
        guard let path = configuration.accessLogPath else { return nil }
        return try AccessLog(path, format: configuration.accessLogFormat, logger: logger)
    }

    private func keepers(of log: AccessLog?) -> [any Service] {
        log.map { [AccessLogKeeper(log: $0)] } ?? []
    }

    private func admin(
        _ sockets: [ListeningSocket],
        _ health: EndpointHealth,
        _ metrics: EndpointMetrics,
        _ log: AccessLog?
    ) -> [any Service] {
        guard !sockets.isEmpty else { return [] }
        let responder = AdminResponder(
            health: health,
            metrics: metrics,
            store: StoreGauge(store),
            process: ProcessMetrics(startTime: now()),
            log: log
        )
        return [AdminListener(sockets: sockets, responder: responder, logger: logger)]
    }

    private var updateServices: [any Service] {
        guard let updater, let interval = configuration.checkInterval, !configuration.isOffline else { return [] }
        return [UpdateScheduler(store, updater: updater, interval: interval, clock: clock, logger: logger)]
    }

    private func certificateServices(_ tls: TLSIdentitySource?) -> [any Service] {
        guard let files = configuration.tls, let tls else { return [] }
        return [CertificateWatcher(files: files, source: tls, clock: clock, now: now, logger: logger)]
    }

    private func listener(
        _ resolver: LiveResolver,
        _ variants: VariantMaker?,
        _ tls: TLSIdentitySource?,
        _ health: EndpointHealth,
        _ metrics: EndpointMetrics,
        _ observer: RequestObserver?,
        onReady: @escaping @Sendable (_ url: String) -> Void
    ) -> EndpointListener {
        let layers = LayeredResponder(
            resolver,
            store: store,
            transport: configuration.isOffline
                ? nil : MeteredTransport(transport: transport, metrics: metrics),
            // Whoever reaches the address is answered, so the cache must only hold what is for everyone.
            policy: Self.cachePolicy,
            variants: variants,
            marksPages: configuration.marksPages,
            now: now
        )
        let hosts = HostPolicy(
            resolver: resolver,
            scheme: tls == nil ? "http" : "https",
            listening: configuration.address,
            allowed: configuration.allowedHosts
        )
        let fields = AnswerFields(configuration.headerFields, sharedWith: configuration.allowedOrigins)
        let responder = EndpointResponder(
            layers: layers,
            hosts: hosts,
            fields: fields,
            health: health,
            observer: observer,
            isSecure: tls != nil,
            logger: logger,
            now: now
        )
        let files = BundledFiles(
            resolver: resolver,
            layers: layers,
            hosts: hosts,
            fields: fields,
            isSecure: tls != nil
        )
        return EndpointListener(
            address: configuration.address,
            socketMode: configuration.socketMode,
            acceptor: ConnectionAcceptor(
                files: files,
                metrics: metrics,
                observer: observer,
                limits: configuration.limits,
                logger: logger,
                now: now
            ),
            channel: EndpointChannel(
                responder: responder,
                http2: HTTP2Responder(responder, head: configuration.limits.head),
                tls: tls,
                fast: FastResponders(files, capacity: FastResponders.capacity),
                limits: configuration.limits
            ),
            logger: logger,
            onReady: onReady
        )
    }
}
