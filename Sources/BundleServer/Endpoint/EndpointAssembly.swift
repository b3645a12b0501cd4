import BundleNetwork
import BundleServing
import BundleStore
import BundleUpdate
import BundleUsage
import Foundation
import Logging
import ServerCore
import ServiceLifecycle
import UnixSignals

/// The parts of an endpoint, assembled by its configuration. For one run.
struct EndpointAssembly {
    /// The signal at which the configuration is read again, trapped already, and what reads it.
    typealias ReloadSource = (signals: UnixSignalsSequence, read: BundleEndpoint.Reloading)

    let endpoint: BundleEndpoint
    /// The configuration that counts now; that of `endpoint` is the one at the start.
    let live: LiveConfiguration
    let resolver: LiveResolver
    let health = EndpointHealth()
    let metrics: EndpointMetrics
    /// Where the event loops count responses.
    private let ledger = TallyLedger()
    /// Nil when there are no statistics.
    let usage: UsageRecorder?
    let scrubs = ScrubStatistics()
    let precaching = PrecacheStatistics()
    let streams: PageStreams
    let calls = PageCallCounts()
    let loads: PageLoads
    let variants: VariantMaker?
    /// Whether the link is metered, as the operator says now.
    let link: NetworkLink
    let ruling: NetworkRuling
    let updates = ConfigurableUpdateService()
    let layers: LayeredResponder
    /// Nil for clear text.
    let tls: TLSIdentitySource?
    let sockets: [ListeningSocket]
    let log: AccessLog?
    let adminSockets: [ListeningSocket]
    let gauge: StoreGauge
    let startTime: Date
    let jobs: DashboardJobs
    let actions: PageActions
    /// What the dashboard is used with while the operator has chosen no token.
    let drawnToken = AdminToken()

    /// Opens the endpoint's and the operators' addresses and the access log.
    ///
    /// - Throws: ``/BundleModel/BundleError`` when one of them can't be opened, or the certificate can't be used.
    init(_ endpoint: BundleEndpoint) throws(BundleError) {
        self.endpoint = endpoint
        let configuration = endpoint.configuration
        metrics = EndpointMetrics(ledger)
        usage = configuration.statisticsInterval.map { [ledger] _ in
            UsageRecorder(endpoint.store, counting: ledger, now: endpoint.now)
        }
        tls = try configuration.tls.map { files throws(BundleError) in TLSIdentitySource(try TLSIdentity(files)) }
        resolver = LiveResolver(
            endpoint.store,
            addresses: configuration.resolvedAddresses,
            pageLifetime: configuration.pageLifetime
        )
        live = LiveConfiguration(configuration) { [store = endpoint.store, resolver, isSecure = tls != nil] in
            ResponseTerms($0, store, resolver, isSecure: isSecure)
        }
        sockets = try ListeningSocket.open(configuration.address, mode: configuration.socketMode)
        adminSockets =
            try configuration.admin.map { address throws(BundleError) in
                try ListeningSocket.open(address, setting: .adminAddress)
            } ?? []
        log = try configuration.accessLogPath.map { path throws(BundleError) in
            try AccessLog(path, format: configuration.accessLogFormat, logger: endpoint.logger)
        }
        variants = configuration.variantQuota.map { [ledger] in
            VariantMaker(endpoint.store, quota: $0, clock: endpoint.clock, logger: endpoint.logger) {
                ledger.requestCount
            }
        }
        link = NetworkLink(isMetered: Self.isMetered(endpoint.store, configuration))
        ruling = NetworkRuling(configuration.networkRules, configuration.ruleConditions, link: link)
        layers = Self.layers(endpoint, resolver, variants, ruling, metrics, usage)
        gauge = StoreGauge(endpoint.store)
        startTime = endpoint.now()
        // Before anything is served, and once nothing prevents that any more.
        ReleaseService.begin(endpoint.store, endpoint.logger)
        _ = try? resolver.refresh()
        streams = PageStreams(endpoint.store)
        jobs = DashboardJobs(endpoint.updater, isOffline: configuration.isOffline, logger: endpoint.logger)
        actions = PageActions(endpoint.store, jobs, clock: endpoint.clock, logger: endpoint.logger)
        loads = PageLoads(endpoint.store, resolver, hasVersionCookies: layers.setsVersionCookies)
        // Before anything is fetched, by the update checks too.
        serveNetwork(hosts: configuration.servedHosts)
        updates.follow(endpoint.updater.flatMap(updateService))
    }

    /// Registers the addresses where the endpoint itself is, for certain hosts besides the machine's own.
    func serveNetwork(hosts: Set<AllowedHost>) {
        endpoint.configuration.originNetwork?.serve(
            at: sockets.map(\.address),
            operators: adminSockets.map(\.address),
            hosts: hosts
        )
    }

    var recorder: RequestRecorder {
        RequestRecorder(
            metrics: !adminSockets.isEmpty || log != nil ? metrics : nil,
            log: log,
            logger: endpoint.logger,
            // Without it nobody knew when a bundle is idle.
            counting: ledger
        )
    }

    /// The services, in the order in which they are started.
    ///
    /// They are shut down from the last to the first: until the last response, the store is watched, operators get
    /// responses, and requests are logged.
    ///
    /// - Parameters:
    ///   - signals: The signals that reopen the access log.
    ///   - reloading: What reads the configuration again; nil for a configuration that stays.
    ///   - onReady: Called with the endpoint's URL when connections are accepted.
    func services(
        reopeningAt signals: UnixSignalsSequence,
        reloading: ReloadSource? = nil,
        onReady: @escaping @Sendable (_ url: String) -> Void
    ) -> [any Service] {
        let manager = ServiceManager(ProcessInfo.processInfo.environment)
        let lifecycle = EndpointLifecycle(health: health, manager: manager)
        let listener = listener(watchdog: Watchdog(manager, clock: endpoint.clock)) { url in
            lifecycle.start()
            onReady(url)
        }
        let dashboard = dashboard
        let services: [(any Service)?] = [
            // Ended in the opposite order.
            CacheService(store: endpoint.store), statisticsService, AccessLogService(log: log, signals: signals),
            reloading.map { configurationService($0, manager) }, dashboard.map(adminListener),
            storeChangeService, variants, updates, jobs, dashboard?.streams,
            originStateService, precacheService, repairService, certificateService, telemetryService, listener,
            PageStreamService(streams: streams),
            lifecycle,
        ]
        return services.compactMap(\.self)
    }

    private func configurationService(_ source: ReloadSource, _ manager: ServiceManager?) -> ConfigurationService {
        ConfigurationService(signals: source.signals, manager: manager) {
            await source.read { apply($0) }
        }
    }

    private var statisticsService: StatisticsService? {
        guard let usage, let interval = endpoint.configuration.statisticsInterval else { return nil }
        return StatisticsService(usage: usage, interval: interval, clock: endpoint.clock)
    }

    private var storeChangeService: StoreChangeService {
        let releases = ReleaseService(
            endpoint.store,
            counting: ledger,
            calls,
            idleInterval: { [live] in live.configuration.idleInterval },
            logger: endpoint.logger
        )
        let elapsed = endpoint.clock.stopwatch()
        return StoreChangeService(
            endpoint.store,
            resolver,
            health: health,
            clock: endpoint.clock,
            logger: endpoint.logger,
            onLook: { [streams] in
                releases.look(at: elapsed())
                streams.look(at: elapsed())
                streams.beat(at: elapsed())
            }
        ) { [self] in
            variants?.storeChanged(to: $0)
            streams.storeChanged(to: $0)
            let isMetered = isMetered
            guard link.isMetered != isMetered else { return }
            link.isMetered = isMetered
            endpoint.logger.notice("the link is \(isMetered ? "metered" : "not metered") now")
        }
    }

    /// What the operator has said at run time counts, until it is taken back; then the configuration.
    private static func isMetered(_ store: BundleStore, _ configuration: BundleEndpoint.Configuration) -> Bool {
        (try? store.meteredSetting()) ?? configuration.ruleConditions.isMetered
    }

    /// The same now.
    var isMetered: Bool { Self.isMetered(endpoint.store, live.configuration) }

    private var originStateService: OriginStateService {
        OriginStateService(endpoint.store, layers, clock: ContinuousClock(), logger: endpoint.logger)
    }

    private var precacheService: PrecacheService? {
        guard !endpoint.configuration.isOffline else { return nil }
        return PrecacheService(
            layers,
            resolver,
            statistics: precaching,
            // As the responder whose fetches it begins.
            clock: ContinuousClock(),
            now: endpoint.now,
            logger: endpoint.logger
        )
    }

    /// Nil when there are no updates now.
    func updateService(_ updater: Updater) -> UpdateService? {
        let configuration = live.configuration
        guard let interval = configuration.checkInterval, !configuration.isOffline else { return nil }
        return UpdateService(
            endpoint.store,
            updater: updater,
            pace: CheckPace(every: interval),
            clock: endpoint.clock,
            logger: endpoint.logger
        )
    }

    private var repairService: RepairService? {
        endpoint.repair.map { round in
            RepairService(
                endpoint.store,
                endpoint.configuration.isOffline ? round.withoutNetwork : round,
                variants: variants,
                scrubInterval: { [live] in live.configuration.scrubInterval },
                statistics: scrubs,
                clock: endpoint.clock,
                now: endpoint.now,
                logger: endpoint.logger
            )
        }
    }

    private var certificateService: CertificateService? {
        guard let files = endpoint.configuration.tls, let tls else { return nil }
        return CertificateService(
            files: files,
            source: tls,
            clock: endpoint.clock,
            now: endpoint.now,
            logger: endpoint.logger
        )
    }
}

/// The listener and its responder.
extension EndpointAssembly {
    /// How many ready responses each event loop of channels keeps: over TLS it gets all requests.
    private static let readyResponseCount = 1 << 12

    /// - Parameters:
    ///   - watchdog: Nil when no service manager watches the process.
    ///   - onReady: Called with the endpoint's URL when connections are accepted.
    func listener(
        watchdog: Watchdog? = nil,
        onReady: @escaping @Sendable (_ url: String) -> Void
    ) -> EndpointListener {
        EndpointListener(
            sockets: sockets,
            acceptor: ConnectionAcceptor(metrics: metrics, logger: endpoint.logger, now: endpoint.now),
            channel: ConnectionChannel(settings: channelSettings),
            scheme: endpoint.configuration.scheme,
            drainLimit: endpoint.configuration.drainLimit,
            watchdog: watchdog,
            logger: endpoint.logger,
            onReady: onReady
        )
    }

    private var channelSettings: ChannelSettings {
        ChannelSettings(
            responder,
            recorder: recorder,
            limits: endpoint.configuration.limits,
            tls: tls,
            readyResponseCount: Self.readyResponseCount,
            logger: endpoint.logger,
            now: endpoint.now
        )
    }

    private var responder: EndpointResponder {
        EndpointResponder(
            layers: layers,
            live: live,
            health: health,
            pages: PageResponder(endpoint.store, resolver, streams, calls, actions),
            loads: loads,
            missing: MissingParts(endpoint.store, resolver),
            codesForLocalClients: endpoint.configuration.codesForLocalClients,
            isSecure: tls != nil,
            refresh: PromptRefresh(endpoint.store, resolver)
        )
    }

    static func layers(
        _ endpoint: BundleEndpoint,
        _ resolver: LiveResolver,
        _ variants: VariantMaker?,
        _ ruling: NetworkRuling,
        _ metrics: EndpointMetrics,
        _ usage: UsageRecorder?
    ) -> LayeredResponder {
        let configuration = endpoint.configuration
        var limits = FetchLimits()
        limits.retries = configuration.originRetries
        return LayeredResponder(
            resolver,
            store: endpoint.store,
            transport: configuration.isOffline
                ? nil
                : MeteredTransport(
                    transport: DenialLoggingTransport(endpoint.transport, logger: endpoint.logger),
                    metrics: metrics
                ),
            policy: configuration.cachePolicy,
            cacheMemoryByteCount: configuration.cacheMemoryByteCount,
            variants: variants,
            setsVersionCookies: configuration.setsVersionCookies,
            rules: ruling,
            limits: limits,
            usage: usage,
            scheme: configuration.scheme,
            now: endpoint.now
        )
    }
}
