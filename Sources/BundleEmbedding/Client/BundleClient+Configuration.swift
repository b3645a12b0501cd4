import BundleNetwork
import BundleServing
import BundleStore

extension BundleClient {
    /// How a client works. A value type; safe to share between threads.
    public struct Configuration: Sendable {
        /// Where bundles are found besides their origins. Default: nowhere.
        public var addresses = BundleAddresses()
        /// How much of what comes from the network is kept.
        public var cacheLimits = CacheLimits()
        /// The rules of caching. Default: those of a cache of one user, the app's.
        public var cachePolicy = CachePolicy(isShared: false)
        /// The longest body from the network that is kept, in bytes, 0 or more. Default: 64 MiB.
        public var maximumCachedByteCount: Int64 = 64 << 20
        /// The network rules at the beginning; see ``BundleClient/rules``. Default: none.
        public var rules = CommonRules()
        /// Whether URLs that no bundle covers get the cache, the network and the rules too. Default: false, only URLs below
        /// the bundles' origins do.
        public var coversAllOrigins = false
        /// The app's own code for what rules can't say; see ``/BundleNetwork/LastResort``. Default: none.
        public var lastResort: LastResort.Handler?
        /// Whether network rules with `mock` apply. Default: false.
        public var isDevelopment = false
        /// The link to the network. Default: there is one, and it isn't metered.
        public var link = NetworkLink()
        /// How requests are repeated that got no response.
        public var retries = RetryPolicy()
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
        /// for SIGBUS, see ``/BundleStore/BundleStore``. Default: true.
        public var survivesFaults = true

        /// The default configuration.
        public init() {}
    }
}
