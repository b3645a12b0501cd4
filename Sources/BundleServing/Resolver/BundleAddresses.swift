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

/// A path of the endpoint at which a bundle is served, besides `/NAME/`: `shop=/` serves it at the root.
///
/// A value type; safe to share between threads.
public struct Mount: Sendable, Hashable {
    /// The bundle.
    public let name: BundleName
    /// The decoded components of the path; empty for the root.
    public let components: [String]

    /// Parses `NAME=/PATH`. Returns nil when the name is invalid, or the path doesn't start with a slash or isn't a
    /// valid bundle path.
    public init?(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let name = BundleName(String(parts[0])), parts[1].hasPrefix("/"),
            let path = RequestPath(String(parts[1]))
        else { return nil }
        self.name = name
        components = path.components
    }
}

/// A host that belongs to one bundle, for use where names under `localhost` can't be used: `shop=shop.example`. Only
/// that bundle is served there, from its root.
///
/// A value type; safe to share between threads.
public struct BundleHost: Sendable, Hashable {
    /// The bundle.
    public let name: BundleName
    /// The host, in lower case and without a port; an IPv6 address has its brackets.
    public let host: String

    /// Parses `NAME=HOST`. Returns nil when the name or the host is invalid, when the host has a port, and for names
    /// under `localhost`, each of which already belongs to a certain bundle.
    public init?(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let name = BundleName(String(parts[0])),
            let url = try? HTTPURL("http://\(parts[1])"), url.host == parts[1].lowercased(), !LocalHost.isName(url.host)
        else { return nil }
        self.name = name
        host = url.host
    }
}

extension RequestTarget {
    /// The target as an endpoint receives it from a browser that opens the URL: a path, if the host belongs to a
    /// bundle.
    package func received(with addresses: BundleAddresses) -> RequestTarget {
        guard scheme != nil, let host, addresses.isOwn(host) else { return self }
        return RequestTarget(path + query, host: authority) ?? self
    }

    /// The same for a URL of the endpoint itself, as the address bar shows it: its host is the machine's own, or an IP
    /// address. Nil for anything else. The endpoint's port isn't known here: an origin that covers the URL comes first.
    package var atOwnAddress: RequestTarget? {
        guard scheme != nil, let host, LocalHost.isLoopback(host) || LocalHost.isAddress(host) else { return nil }
        return RequestTarget(path + query, host: authority)
    }
}
