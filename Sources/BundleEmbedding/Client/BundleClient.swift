import BundleNetwork
import BundleServing
import BundleStore
import Synchronization

/// The bundles of an app: a store that the app opens or makes, what its bundles respond, and their updates.
///
///     let client = try BundleClient(at: folder, transport: URLSessionTransport())
///     try await client.seed(archive: shipped)
///     let page = try await client.load("https://m.example.com/shop/", isPage: true)
///
/// Bundled files need no task and no network: ``resolve(_:)`` and ``begin(_:)`` return on the calling thread. Everything
/// else is asynchronous; cancelling the task ends the work.
///
/// Thread-safe. Several clients, also of other processes, may use one store; what one installs, the others see within
/// about a second of their next request.
public final class BundleClient: Sendable {
    /// The store, for what the client has no call for: listing, verifying, pruning, quotas.
    public let store: BundleStore
    /// Installs into the store on the calling thread. See ``install(archive:options:progress:)`` for tasks.
    public let installer: Installer
    /// Whether the link to the network is metered, and whether there is one; the app may change it at any time.
    public let link: NetworkLink

    /// Nil without a network.
    let updater: Updater?
    let resolver: LiveResolver
    let responder: LayeredResponder
    let ruling: NetworkRuling
    let lifetime = ClientLifetime()
    let clock: any Clock<Duration>
    let trafficLedger: TrafficLedger
    let reuseLedger = ReuseLedger()
    let refreshPace = RefreshPace()
    let activationBroadcast = Broadcast<Activation>(keeping: 64)
    let progressBroadcast = Broadcast<WorkProgress>(keeping: 1)
    /// What ``activations`` has reported.
    let known: Mutex<ActivationState>

    /// Opens the store in a folder, or makes one.
    ///
    /// - Parameters:
    ///   - path: The store's folder.
    ///   - transport: The network; nil to stay offline.
    ///   - configuration: How the client works.
    /// - Throws: As ``/BundleStore/BundleStore/init(at:creating:cacheLimits:now:survivesFaults:damageHandler:)``, of which
    ///   `storeUnavailable` is the usual one: the folder can't be made or written.
    public convenience init(
        at path: String,
        transport: (any OriginTransport)?,
        configuration: Configuration = Configuration()
    ) throws {
        try self.init(at: path, transport: transport, configuration: configuration, clock: ContinuousClock())
    }

    /// As above.
    ///
    /// - Parameter clock: The clock of time limits, and of the look for what others have changed in the store.
    package init(
        at path: String,
        transport: (any OriginTransport)?,
        configuration: Configuration,
        clock: any Clock<Duration>
    ) throws {
        let store = try BundleStore(
            at: path,
            creating: true,
            cacheLimits: configuration.cacheLimits,
            survivesFaults: configuration.survivesFaults
        )
        self.store = store
        self.clock = clock
        link = configuration.link
        installer = Installer(store)
        let (installer, ledger) = (installer, TrafficLedger())
        trafficLedger = ledger
        let transport = transport.map { CountingTransport($0, ledger) }
        var updates = configuration.updates
        updates.isMetered = { [link] in link.isMetered }
        updater = transport.map {
            Updater(store, installer: installer, transport: $0, configuration: updates)
        }
        // What a start does, before anything responds.
        store.activatePending { _, _ in true }
        store.judgeStarts()
        resolver = LiveResolver(store, addresses: configuration.addresses, pageLifetime: configuration.pageLifetime)
        ruling = NetworkRuling(
            configuration.rules,
            RuleConditions(isDevelopment: configuration.isDevelopment),
            link: configuration.link,
            lastResort: configuration.lastResort
        )
        var limits = FetchLimits()
        limits.retries = configuration.retries
        responder = LayeredResponder(
            resolver,
            store: store,
            transport: transport,
            policy: configuration.cachePolicy,
            maximumCachedByteCount: configuration.maximumCachedByteCount,
            rules: ruling,
            limits: limits,
            clock: clock,
            usage: configuration.countsUse ? UsageRecorder(store, every: UsageRecorder.defaultInterval) : nil,
            isGateway: false,
            coversAll: configuration.coversAllOrigins
        )
        known = Mutex(ActivationState(store.snapshot))
    }

    deinit {
        close()
    }

    /// The network rules for all requests, which come before those of the bundles' manifests. Requests that begin later
    /// go by a change. See ``/BundleNetwork/CommonRules``.
    public var rules: CommonRules {
        get { ruling.common }
        set { ruling.common = newValue }
    }

    /// Ends what runs: loads, installations and updates fail with ``/BundleModel/BundleError`` and code
    /// `storeUnavailable`, bodies that are being read too, and the sequences of ``activations`` and ``progress`` end. What
    /// was resolved before stays readable. Calls after this fail in the same way. Does nothing the second time.
    public func close() {
        lifetime.end()
        activationBroadcast.finish()
        progressBroadcast.finish()
    }
}
