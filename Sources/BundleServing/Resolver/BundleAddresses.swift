import BundleStore

/// The addresses of bundles in addition to the origins that they are mapped to. Each bundle has a host of its own on
/// this machine, `shop.localhost`, and for tools a path on the machine's other hosts, `/shop/`; these are further
/// addresses.
///
/// A value type; safe to share between threads.
public struct BundleAddresses: Sendable, Hashable {
    /// Paths under which bundles are served on every host that isn't a bundle's own.
    public var mounts: [Mount]
    /// Hosts that belong to a bundle.
    public var hosts: [BundleHost]
    /// Whether `/NAME/` is served on every host and opens in browsers, so that all bundles are one origin there.
    public var sharesOrigin: Bool
    /// Hosts of the endpoint itself, other than loopback ones and without ports: there mounts take precedence over
    /// mapped origins.
    public var endpointHosts: Set<String> = []

    /// The URLs at which proxies in front pass requests on, as clients see them. A request for the host of one belongs to it:
    /// its path is what the endpoint's root is for clients, and its scheme theirs. At most one for each host and port.
    public var publicURLs: [OriginURL]

    /// Without arguments, bundles have their names under `localhost` and the paths for tools.
    public init(
        mounts: [Mount] = [],
        hosts: [BundleHost] = [],
        sharesOrigin: Bool = false,
        publicURLs: [OriginURL] = []
    ) {
        self.mounts = mounts
        self.hosts = hosts
        self.sharesOrigin = sharesOrigin
        self.publicURLs = publicURLs
    }

    /// Whether a mount at the root has the hosts that aren't a bundle's own, with other mounts.
    var hasRoot: Bool { !sharesOrigin && mounts.contains { $0.components.isEmpty } }

    /// The bundle that owns this host, whether or not it exists.
    package func bundle(at host: String) -> BundleName? {
        hosts.first { $0.host == host }?.name ?? LocalHost.bundle(at: host)
    }

    /// Whether a host belongs to a bundle, or is reserved for one.
    package func isOwn(_ host: String) -> Bool { LocalHost.isName(host) || hosts.contains { $0.host == host } }
}
