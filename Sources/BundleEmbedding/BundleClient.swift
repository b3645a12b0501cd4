import BundleArchive
import BundleNetwork
import BundleServing
import BundleStore
import BundleUpdate
import BundleUsage
import Dispatch
import Foundation
import Synchronization

/// The bundles of an app: a store that the app opens or makes, what its bundles respond, and their updates.
///
///     let client = try BundleClient(at: folder)
///     try await client.seed(archive: shipped)
///     let page = try await client.load("https://m.example.com/shop/", isPage: true)
///
/// Bundled files need no task and no network: ``resolve(_:)-(String)`` and ``startResponse(to:)`` return on the calling thread. Everything
/// else is asynchronous; cancelling the task ends the work.
///
/// Thread-safe. Several clients, also of other processes, may use one store; what one installs, the others see within
/// about a second of their next request.
public final class BundleClient: Sendable {
    /// The store, for what the client has no call for: listing, verifying, pruning, quotas.
    public let store: BundleStore
    /// Installs into the store on the calling thread. See ``install(archive:options:progress:)-(String,_,_)`` for tasks.
    public let installer: Installer
    /// Whether the link to the network is metered, and whether there is one. The app may change it at any time, unless it follows the
    /// system's; see ``Configuration/link``.
    public let link: NetworkLink
    /// Has the link follow the system's; nil when the app itself tells.
    private let systemLink: (any Sendable)?

    let appState: AppStateObserver

    /// Nil without a network.
    let updater: Updater?
    /// As the updater's.
    let transport: CountingTransport?
    let credentials: FeedCredentials
    /// By which the feeds of bundles have to be trusted.
    let roots: [BundleName: PublisherRoot]
    let requiresTrust: Bool
    let resolver: LiveResolver
    let responder: LayeredResponder
    let ruling: NetworkRuling
    let lifetime = ClientLifetime()
    /// Where the system downloads files; nil where it doesn't.
    let backgroundDownloads = Mutex<BackgroundDownloads?>(nil)
    let suspension = Mutex(SuspensionState())
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

    /// The same with the folder's URL.
    ///
    /// - Throws: As above; ``/BundleModel/BundleError`` with code `invalidArgument` also when `folder` isn't the URL of a folder on this
    ///   machine.
    public convenience init(
        at folder: URL,
        transport: (any OriginTransport)?,
        configuration: Configuration = Configuration()
    ) throws {
        try self.init(at: folder.filePath(), transport: transport, configuration: configuration)
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
            survivesFaults: configuration.survivesFaults,
            damageHandler: configuration.damageHandler
        )
        self.store = store
        self.clock = clock
        let link = configuration.link ?? NetworkLink()
        self.link = link
        systemLink = configuration.link == nil ? link.followingSystem() : nil
        installer = Installer(store, formats: configuration.archiveFormats)
        let (installer, ledger) = (installer, TrafficLedger())
        trafficLedger = ledger
        let transport = transport.map { CountingTransport($0, ledger) }
        self.transport = transport
        var updates = configuration.updates
        (credentials, roots, requiresTrust) = (updates.credentials, updates.roots, updates.requiresTrust)
        updates.isMetered = { link.isMetered }
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
            link: link,
            lastResort: configuration.lastResort
        )
        responder = LayeredResponder(
            resolver,
            store: store,
            transport: transport,
            policy: configuration.cachePolicy,
            maximumCachedByteCount: configuration.maximumCachedByteCount,
            cacheMemoryByteCount: configuration.cacheMemoryByteCount,
            rules: ruling,
            limits: configuration.fetchLimits,
            clock: clock,
            usage: configuration.countsUse ? UsageRecorder(store, every: UsageRecorder.defaultInterval) : nil,
            isGateway: false,
            coversAll: configuration.coversAllOrigins
        )
        known = Mutex(ActivationState(store.snapshot))
        appState = AppStateObserver(suspends: configuration.suspendsWithApp)
        beginTrust()
        appState.follow(self)
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

    /// Calls `body` once when the client is closed; at once when it is.
    package func onClose(_ body: @escaping @Sendable () -> Void) {
        lifetime.onEnd(body)
    }
}

extension BundleClient {
    /// How a client works. A value type; safe to share between threads.
    public struct Configuration: Sendable {
        /// Where bundles are found besides their origins. Default: nowhere.
        public var addresses = BundleAddresses()
        /// The formats of the archives that are installed. Default: zip alone; `zipAndTar` of `BundleTar` has tar too.
        public var archiveFormats = ArchiveFormats.zip
        /// How much of what comes from the network is kept.
        public var cacheLimits = CacheLimits()
        /// The rules of caching. Default: those of a cache of one user, the app's.
        public var cachePolicy = CachePolicy(isShared: false)
        /// The longest body from the network that is kept, in bytes, 0 or more. Default: 64 MiB.
        public var maximumCachedByteCount: Int64 = 64 << 20
        /// The most bytes of memory for stored responses that are used, 0 or more; the other bounds of memory are in the article
        /// “From Swift”. An extension, which the system gives little memory, may have less. Default: 64 MiB.
        public var cacheMemoryByteCount = 64 << 20
        /// The network rules at the beginning; see ``BundleClient/rules``. Default: none.
        public var rules = CommonRules()
        /// Whether URLs that no bundle covers get the cache, the network and the rules too. Default: false, only URLs below
        /// the bundles' origins do.
        public var coversAllOrigins = false
        /// The app's own code for what rules can't say; see ``/BundleNetwork/LastResort``. Default: none.
        public var lastResort: LastResort.Handler?
        /// Whether network rules with `mock` apply. Default: false.
        public var isDevelopment = false
        /// The link to the network, as the app tells it; nil for the system's. Apple's systems report whether there is a link, and
        /// whether it is expensive or in Low Data Mode, which counts as metered (`NWPathMonitor`). Elsewhere there is a link, and it
        /// isn't metered, until the app says otherwise. Default: nil.
        public var link: NetworkLink?
        /// How requests are repeated that got no response.
        public var retries: RetryPolicy {
            get { fetchLimits.retries }
            set { fetchLimits.retries = newValue }
        }
        /// How updates are made, when a release that one has installed becomes active, and the version of the app, for releases that need a certain one as their shell. Whether the
        /// link is metered is what ``link`` says. An app that is at work at all hours has no idle time of its own:
        /// ``/BundleStore/ActivationMode/whenIdle`` then means the next start.
        public var updates = Updater.Configuration()
        /// How long pages that are open on an earlier release get their parts from it, in whole seconds; nil for as long as
        /// the store retains it. Default: nil.
        public var pageLifetime: Duration?
        /// Whether the store's statistics count the requests. Default: true.
        public var countsUse = true
        /// Whether the process survives when a mapped file is cut by another program, or its disk fails. Installs a handler
        /// for SIGBUS, see ``/BundleStore/BundleStore``. Default: false on Apple's systems, where an app's crash reporter has such handlers
        /// and nobody else writes to its container; true elsewhere.
        public var survivesFaults = Self.handlesSignals
        /// Whether the client is suspended when the app enters the background, and resumed when it comes back; see
        /// ``BundleClient/suspend()``. Apple's systems alone tell. Default: true.
        public var suspendsWithApp = true
        /// Called for damage that is found in the store, see ``/BundleStore/DamageHandler``.
        package var damageHandler: DamageHandler = { _ in }
        /// The bounds of fetches. Tests wait longer for an origin than a person does.
        package var fetchLimits = FetchLimits()

        #if canImport(Darwin)
            private static let handlesSignals = false
        #else
            private static let handlesSignals = true
        #endif

        /// The default configuration.
        public init() {}
    }
}

/// What happens to the bundles.
extension BundleClient {
    /// The activations from now on, by this client and by others: another version responds, or none does any more. A
    /// sequence that isn't read keeps the last 64.
    ///
    /// The store is checked once a second while somebody reads a sequence. The sequence ends with ``close()``.
    public var activations: AsyncStream<Activation> {
        let watch = Task { [weak self, clock] in
            // Nothing tells a process that another one has changed the catalog.
            while !Task.isCancelled {
                guard (try? await clock.sleep(for: .seconds(1))) != nil, let self else { return }
                refresh()
            }
        }
        return activationBroadcast.subscribe { watch.cancel() }
    }

    /// How far this client's installations and updates are, from now on. A sequence that isn't read keeps the last value. It
    /// ends with ``close()``.
    public var progress: AsyncStream<WorkProgress> { progressBroadcast.subscribe() }

    /// Takes what other processes have changed in the store. Every request does that behind its response, at most once a
    /// second; an app needn't call it. Waits for the disk. While the store can't be read, what was last known counts.
    public func refresh() {
        lifetime.runLocking {
            _ = try? store.recheckFiles()
            _ = try? store.refresh()
            store.judgeProbations()
            _ = try? resolver.refresh()
        }
        noteActivations()
    }

    /// Takes changes of other processes, if that hasn't been done for a second, on another thread.
    func refreshIfDue() {
        guard refreshPace.isDue() else { return }
        Task.detached { [weak self] in self?.refresh() }
    }

    /// Reports activations that haven't been reported.
    func noteActivations() {
        known.withLock { known in
            for activation in known.take(store.snapshot) { activationBroadcast.send(activation) }
        }
    }
}

/// What the bundles were used for.
extension BundleClient {
    /// The store's statistics, with what this client has counted up to now; see ``/BundleUsage/UsageReport``.
    ///
    /// - Parameters:
    ///   - bundle: One bundle; nil for all.
    ///   - start: Since when; nil for all that is kept.
    ///   - listCount: The most entries of each list. Default: 10.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the store can't be read, and after
    ///   ``close()``.
    public func statistics(
        of bundle: BundleName? = nil,
        since start: Date? = nil,
        listCount: Int = 10
    ) async throws -> UsageReport {
        try await lifetime.run { [self] in
            await responder.flushStatistics()
            return try UsageReport(of: store, bundle: bundle, since: start, listCount: listCount)
        }
    }

    /// What this client has sent to origins and received from them since it was made, by host; updates are counted too, without what the
    /// system downloads for them. At most 1,024 hosts; those after them are counted together.
    public var traffic: [HostTraffic] { trafficLedger.traffic }

    /// The URLs whose stored responses this client has used most since it was made, the most frequent first, with how often;
    /// at most 256. Counts are lower bounds when there are more URLs.
    public var reuses: [(url: String, count: Int64)] { reuseLedger.counts }
}

/// How often a client looks for changes that other processes have made to the store: once a second, while it is used.
/// Thread-safe.
final class RefreshPace: Sendable {
    private static let interval: UInt64 = 1_000_000_000

    private let last: Atomic<UInt64>

    init() {
        last = Atomic(DispatchTime.now().uptimeNanoseconds)
    }

    /// Whether it is time; true for one of the callers. Takes some tens of nanoseconds.
    func isDue() -> Bool {
        let (now, last) = (DispatchTime.now().uptimeNanoseconds, last.load(ordering: .relaxed))
        guard now &- last >= Self.interval else { return false }
        return self.last.compareExchange(expected: last, desired: now, ordering: .relaxed).exchanged
    }
}
