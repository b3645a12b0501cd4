import BundleServing

extension BundleEndpoint {
    /// Where and how to serve. A value type; safe to share between threads.
    public struct Configuration: Sendable {
        /// The address to listen on: an IP address or a host name.
        public var host = "127.0.0.1"
        /// The port, 0 to 65535; 0 picks one that is free.
        public var port = 8080
        /// Hosts that requests may name beside the machine's own, the one above, and those of mapped origins. A request for
        /// any other is refused with 421, so that no page elsewhere reads the bundles through DNS rebinding.
        public var allowedHosts: Set<AllowedHost> = []
        /// The certificate to answer with over TLS, and nothing else; nil for clear text. Its files are looked at every two
        /// seconds, and new connections get what is in them then.
        public var tls: TLSFiles?
        /// Where bundles answer beside `/NAME/`.
        public var mounts: [Mount] = []
        /// Whether to leave the network alone: nothing is fetched from origins, and no update is looked for.
        public var isOffline = false
        /// How often to check for updates, more than zero; nil never to.
        public var checkInterval: Duration?
        /// How long a connection may be silent, between requests and inside one, and how long a client may take nothing
        /// of an answer.
        public var idleTimeout: Duration = .seconds(60)
        /// How long requests under way may take to finish when the endpoint is shut down.
        public var drainLimit: Duration = .seconds(10)

        /// Port 8080 of the loopback interface, with the network and without update checks.
        public init() {}
    }
}
