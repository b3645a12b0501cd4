import BundleServing
import BundleStore
import BundleTransport
import ServerCore

extension BundleEndpoint {
    /// Where and how to serve. A value type; safe to share between threads.
    public struct Configuration: Sendable {
        /// Where to listen.
        public var address = ListenAddress.tcp(host: "127.0.0.1", port: 8080)
        /// Who may connect to a Unix socket; nil leaves it to the process' umask.
        public var socketMode: SocketMode?
        /// Hosts that requests may name beside the machine's own, the one above, and those of mapped origins. A request for
        /// any other is refused with 421, so that no page elsewhere reads the bundles through DNS rebinding.
        public var allowedHosts: Set<AllowedHost> = []
        /// The certificate to answer with over TLS, and nothing else; nil for clear text. Its files are looked at every two
        /// seconds, and new connections get what is in them then.
        public var tls: TLSFiles?
        /// Fields for each response that doesn't have one of that name; what a manifest or an origin says wins. Of two of one
        /// name the later counts. `Strict-Transport-Security` is sent over TLS only.
        public var headerFields: [HeaderField] = []
        /// Whose pages may read the responses with scripts, without credentials (CORS).
        public var allowedOrigins: Set<AllowedOrigin> = []
        /// Where operators find `/metrics`, `/healthz` and `/readyz`; nil for nowhere. It asks nobody who they are: other
        /// addresses than the loopback interface's are for networks that only operators are on. Metrics are for requests that
        /// name the machine's own host, this one, or one of ``allowedHosts``.
        public var admin: ListenAddress?
        /// The file that each request is logged to, `-` for standard output; nil for none. Targets are logged with their
        /// queries. SIGUSR1, which the endpoint traps in any case, opens it anew.
        public var accessLogPath: String?
        /// How requests are logged.
        public var accessLogFormat = AccessLogFormat.combined
        /// Where bundles answer in addition to their origins and their names under `localhost`. Its hosts are answered.
        public var addresses = BundleAddresses()
        /// Whether to leave the network alone: nothing is fetched from origins, and no update is looked for.
        public var isOffline = false
        /// The network of the transport. It is told where the endpoint listens, so that no bundle's origin leads back to it or to
        /// the operators' address, and from where it can be reached; nil when the transport has none.
        public var originNetwork: OriginNetwork?
        /// How often to check for updates, more than zero; nil never to.
        public var checkInterval: Duration?
        /// How often the whole store is read again, at the lowest priority, and damage is repaired, more than zero; nil for
        /// never. It requires an endpoint with a source for repairs.
        public var scrubInterval: Duration?
        /// How many bytes the coded forms of bundled files (`Content-Encoding`) may have in the store; nil to make none, and
        /// to send the files as they are.
        public var variantQuota: Int64? = VariantStore.defaultQuota
        /// Whether a page is told its version by a cookie, so that after an activation it gets its late parts from that
        /// version, as long as the store has it.
        public var tellsPageVersions = true
        /// How much a client, and all of them together, may ask.
        public var limits = ServerLimits()
        /// How long requests under way may take to finish when the endpoint is shut down.
        public var drainLimit: Duration = .seconds(10)

        /// Port 8080 of the loopback interface, with the network and without update checks.
        public init() {}

        /// The hosts that the operator has the endpoint answer for, in addition to the machine's own.
        var answeredHosts: Set<AllowedHost> {
            allowedHosts.union(addresses.hosts.map { .named($0.host) })
        }
    }
}
