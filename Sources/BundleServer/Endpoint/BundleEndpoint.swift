import BundleCoding
import BundleNetwork
import BundleServing
import BundleStore
import BundleTransport
import BundleUpdate
import Foundation
import HTTPCore
import Logging
import ServerCore
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

extension BundleEndpoint {
    /// The configuration of an endpoint. A value type; safe to share between threads.
    public struct Configuration: Sendable {
        /// The address to listen on. Default: `127.0.0.1:8080`.
        public var address = ListenAddress.tcp(host: "127.0.0.1", port: 8080)
        /// Who may connect to a Unix socket; nil leaves it to the process' umask.
        public var socketMode: SocketMode?
        /// Hosts that requests may name besides the machine's own, that of ``address``, and those of mapped origins. A
        /// request for any other host is refused with 421, so that no page elsewhere can read the bundles through DNS
        /// rebinding.
        public var allowedHosts: Set<AllowedHost> = []
        /// The certificate for TLS, in which case nothing is served in clear text; nil for clear text. The files are
        /// checked every 2 s, and new connections use their current contents.
        public var tls: TLSFiles?
        /// Fields to add to each response that has none of that name; those of a manifest or an origin take precedence.
        /// Of two with the same name the later one counts. `Strict-Transport-Security` is sent over TLS only.
        public var headerFields: [HeaderField] = []
        /// The origins whose pages may read the responses with scripts, without credentials (CORS).
        public var allowedOrigins: Set<AllowedOrigin> = []
        /// The address of `/metrics`, `/healthz` and `/readyz` for operators, which have no authentication, and of the
        /// dashboard, which needs a token; nil for none. Use other addresses than the loopback interface's only on networks
        /// of operators. Metrics and the dashboard require a request for the machine's own host, this one, or one of
        /// ``allowedHosts``.
        public var admin: ListenAddress?
        /// What the dashboard is used with; nil for a token that is made at the start.
        package var adminToken: AdminToken?
        /// What the installation is known by in the metrics.
        package var identity = FleetIdentity()
        /// Where the metrics are pushed to; nil for nowhere.
        package var telemetry: TelemetryExporter?
        /// From the end of a push of the metrics to the next one, more than zero.
        package var telemetryInterval: Duration = .seconds(60)
        /// The file that requests are logged to, `-` for standard output; nil for none. Targets are logged with their
        /// queries. SIGUSR1, which the endpoint always traps, reopens the file.
        public var accessLogPath: String?
        /// The format of the access log.
        public var accessLogFormat = AccessLogFormat.combined
        /// The addresses of bundles besides their origins and their names under `localhost`. Their hosts, and those of the
        /// public URLs, are allowed.
        public var addresses = BundleAddresses()
        /// Whether to use no network: nothing is fetched from origins, and updates aren't checked for.
        public var isOffline = false
        /// The rules of caching. Default: those of a private cache (RFC 9111 §1), which all clients of the endpoint use as
        /// one user: the browsers and apps of one person, or a kiosk. One that several persons can reach must be shared.
        public var cachePolicy = CachePolicy(isShared: false)
        /// The most bytes of memory for cached responses that are used. How many are on the disk is said when the store is
        /// opened. Default: 64 MiB.
        public var cacheMemoryByteCount = 64 << 20
        /// The network rules for all bundles, which come before those of their manifests.
        public var networkRules = CommonRules()
        /// When which network rules apply. What ``/BundleStore/BundleStore/setMetered(_:)`` has said counts before
        /// `isMetered`.
        package var ruleConditions = RuleConditions()
        /// How requests to origins are repeated that got no response.
        public var originRetries = RetryPolicy()
        /// The network of the transport; nil when it has none. The endpoint registers its addresses there, so that no
        /// bundle's origin leads back to it or to the operators' address.
        public var originNetwork: OriginNetwork?
        /// How often the statistics of what bundles are used for are written to the store, more than zero; nil to count
        /// none. What was counted since is lost when the process is killed. Default: 60 s. See
        /// ``/BundleUsage/UsageReport``.
        public var statisticsInterval: Duration? = .seconds(60)
        /// The interval of update checks, more than zero; nil for none.
        public var checkInterval: Duration?
        /// How long nobody may have asked for anything of a bundle before a release becomes active that waits for that; see
        /// ``/BundleStore/ActivationMode/whenIdle``. Default: 5 min.
        public var idleInterval: Duration = .seconds(300)
        /// How long pages that are open on an earlier release get their parts from it, in whole seconds; nil for as long as
        /// the store retains it.
        public var pageLifetime: Duration?
        /// How often the whole store is read again, at the lowest priority, and damage is repaired; more than zero, nil
        /// for never. It requires an endpoint with a source for repairs.
        public var scrubInterval: Duration?
        /// The maximum size of the coded forms of bundled files (`Content-Encoding`) in the store, in bytes; nil to
        /// make none and send files uncoded.
        public var variantQuota: Int64? = VariantStore.defaultQuota
        /// Whether clients on this machine get coded forms and deltas too, and not only those elsewhere. On the loopback
        /// interface fewer bytes save nothing, and decoding takes time; but a proxy on this machine, which passes requests
        /// on from elsewhere, needs them. Default: false.
        public var codesForLocalClients = false
        /// Whether pages get version cookies, so that after an activation a page gets its late parts from the version
        /// that it began on, as long as the store retains it. Default: true.
        public var setsVersionCookies = true
        /// The limits for one client and for all clients together.
        public var limits = ServerLimits()
        /// How long requests under way may take to complete when the endpoint is shut down. Default: 10 s.
        public var drainLimit: Duration = .seconds(10)

        /// The default configuration: port 8080 of the loopback interface, with the network and without update checks.
        public init() {}

        /// The scheme of requests.
        var scheme: String { tls == nil ? "http" : "https" }

        /// The hosts that the operator allows, in addition to the machine's own.
        var servedHosts: Set<AllowedHost> {
            allowedHosts.union((addresses.hosts.map(\.host) + addresses.publicURLs.map(\.host)).map { .named($0) })
        }
    }
}

extension BundleEndpoint {
    /// A configuration that takes the place of the one with which an endpoint runs.
    package struct Change: Sendable {
        /// What of it can't be changed while the endpoint runs has no effect.
        package let configuration: Configuration
        /// Checks for updates from now on; nil for the one before.
        package let updater: Updater?

        /// Makes one.
        package init(_ configuration: Configuration, updater: Updater?) {
            (self.configuration, self.updater) = (configuration, updater)
        }
    }

    /// Reads the configuration again, and applies what has changed. An invalid one isn't applied.
    package typealias Reloading = @Sendable (_ apply: @Sendable (Change) -> Void) async -> Void
}

extension BundleEndpoint.Configuration {
    /// Takes from another configuration what can be changed while an endpoint runs: the only list of it. ``EndpointAssembly``
    /// applies it, and the options that lead to it are listed in `bundlectl`.
    mutating func takeChangeable(from other: Self) {
        headerFields = other.headerFields
        allowedOrigins = other.allowedOrigins
        allowedHosts = other.allowedHosts
        addresses = other.addresses
        networkRules = other.networkRules
        ruleConditions = other.ruleConditions
        checkInterval = other.checkInterval
        scrubInterval = other.scrubInterval
        idleInterval = other.idleInterval
        pageLifetime = other.pageLifetime
        adminToken = other.adminToken
    }

    /// The addresses of bundles, and the hosts that are the endpoint's own.
    var resolvedAddresses: BundleAddresses {
        var addresses = addresses
        addresses.endpointHosts.formUnion(OwnHosts(listening: address, allowed: allowedHosts).names)
        addresses.endpointHosts.formUnion(addresses.publicURLs.map(\.host))
        return addresses
    }
}

extension EndpointAssembly {
    /// Applies a configuration to the running endpoint. Requests that begin later go by it, on open connections too.
    func apply(_ change: BundleEndpoint.Change) {
        let earlier = live.configuration
        var configuration = earlier
        configuration.takeChangeable(from: change.configuration)
        // At no time may clients that come from elsewhere have origins of this machine fetched.
        serveNetwork(hosts: earlier.servedHosts.union(configuration.servedHosts))
        live.change(to: configuration)
        serveNetwork(hosts: configuration.servedHosts)
        (ruling.common, ruling.isDevelopment) = (configuration.networkRules, configuration.ruleConditions.isDevelopment)
        link.isMetered = isMetered
        resolver.change(addresses: configuration.resolvedAddresses, pageLifetime: configuration.pageLifetime)
        live.invalidateResponses()
        if let updater = change.updater ?? endpoint.updater,
            change.updater != nil || configuration.checkInterval != earlier.checkInterval
        {
            updates.follow(updateService(updater))
        }
    }
}
