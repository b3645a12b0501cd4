import BundleCoding
import BundleNetwork
import BundleServing
import BundleStore
import BundleTransport
import ServerCore

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
        /// ``/BundleNetwork/UsageReport``.
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
