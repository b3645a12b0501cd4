import BundleStore

/// The result of a look-up: what the covering bundle has for a URL.
///
/// Immutable; safe to share between threads.
package struct ResourceMatch: Sendable {
    /// Why this bundle covers the URL.
    package enum Route: Sendable, Hashable, CustomStringConvertible {
        /// The URL starts with one of the bundle's origins.
        case origin(OriginMapping)
        /// The host is the bundle's own.
        case host(String)
        /// The path starts with the bundle's name, or with a mount; its components.
        case mount([String])
        /// No bundle covers it.
        case unbundled

        /// A short phrase.
        package var description: String {
            switch self {
            case .origin(let mapping): "origin \(mapping)"
            case .host(let host): "host \(host)"
            case .mount(let components): "path /\(components.map { $0 + "/" }.joined())"
            case .unbundled: "no bundle"
            }
        }
    }

    /// What the bundle has for the URL.
    package enum Outcome: Sendable {
        /// A bundled file.
        case found(Resource)
        /// The URL names a folder without its slash; the associated value is the path with the slash, and the query.
        case redirect(to: String)
        /// The bundle has a file at this path whose bytes can no longer be read; nil stands for a bundle of which
        /// nothing can be read.
        case damaged(Asset?)
        /// The bundle has nothing at this path.
        case missing
    }

    let target: RequestTarget
    let covering: RouteTable.Covering
    let routes: RouteTable
    private let finding: FileLookup.Finding

    init(target: RequestTarget, covering: RouteTable.Covering, in routes: RouteTable, finding: FileLookup.Finding) {
        self.target = target
        self.covering = covering
        self.routes = routes
        self.finding = finding
    }

    /// The bundle's release that is served: the active one, or the one that replaces it if it can't be opened.
    package var release: Release { covering.target.active }

    /// Whether nothing of the bundle may be used any more, so that it has nothing for any URL.
    package var isWithdrawn: Bool { covering.target.isWithdrawn }

    /// What the bundle has for the URL.
    package var outcome: Outcome {
        switch finding {
        case .file(let resource): .found(resource)
        case .folder: .redirect(to: target.path + "/" + target.query)
        case .damaged(let asset): .damaged(asset)
        case .nothing: .missing
        }
    }

    /// A path of this server, with its query, as a reference for the client.
    package func reference(to path: String) -> String { RelativeReference.from(target.path, to: path) }

    /// Why this bundle covers the URL. Computed on each access, like the next two.
    package var route: Route {
        switch covering.target.place {
        case .origin(let mapping): .origin(mapping)
        case .host: .host(target.host ?? "")
        case .mount, .name: .mount(Array(components.prefix(covering.prefix.depth)))
        case .unbundled: .unbundled
        }
    }

    /// The path of the bundle's own root, as in the request, with a slash at its end.
    package var rootPath: String {
        let components = RequestPath(target.path)?.rawComponents.prefix(covering.prefix.depth) ?? []
        return "/" + components.map { "\($0)/" }.joined()
    }

    /// The decoded path inside the bundle, or nil for its root.
    package var path: BundlePath? { try? BundlePath(innerComponents.joined(separator: "/")) }

    /// The path of the file that the bundle would need for the URL.
    package var bundledFile: String {
        let inner = innerComponents
        guard !inner.isEmpty else { return release.manifest.entry.string }
        return inner.joined(separator: "/") + (RequestPath(target.path)?.isFolder == true ? "/index.html" : "")
    }

    /// Whether an origin could interpret the path as one outside the prefix that covers it, such as `/shop/..;/admin`.
    /// Such a path is never requested from an origin.
    package var isAmbiguous: Bool {
        !isUnbundled && HiddenDotSegment.isPresent(in: RequestPath(target.path)?.rawComponents ?? [])
    }

    /// Its URL on the network: an absolute URL under one of the bundle's origins; nil when none covers the path, or
    /// when it ``isAmbiguous``.
    package var originURL: String? {
        if isUnbundled { return unbundledURL }
        guard let path = RequestPath(target.path), !isAmbiguous else { return nil }
        let rest = path.rawComponents.dropFirst(covering.prefix.depth)
        let slash = path.isFolder ? "/" : ""
        if let origin = covering.target.mapping?.origin { return url(under: origin, rest, slash) }
        return originMapping.map { url(under: $0.origin, rest.dropFirst($0.folderComponents.count), slash) }
    }

    /// The mapping that ``originURL`` uses.
    var originMapping: OriginMapping? {
        covering.target.mapping ?? originMapping(of: innerComponents)
    }

    /// The mapping whose folder is the deepest around a path in the bundle.
    func originMapping(of inner: [String]) -> OriginMapping? {
        release.manifest.origins
            .filter { inner.starts(with: $0.folderComponents) }
            .max { $0.folderComponents.count < $1.folderComponents.count }
    }

    /// The manifest's offline page, or nil when it has none.
    package var offlinePage: Resource? {
        release.manifest.offlinePage.flatMap { path in
            Resource(release.asset(at: path), layer: .active, rule: .offlinePage)
        }
    }

    private var components: [String] {
        if let path = RequestPath(target.path) { return path.components }
        return isUnbundled ? looseComponents : []
    }

    /// The components of ``path``; none for the root.
    package var innerComponents: [String] {
        (covering.target.mapping?.folderComponents ?? []) + components.dropFirst(covering.prefix.depth)
    }

    private func url(under origin: OriginURL, _ rest: ArraySlice<Substring>, _ slash: String) -> String {
        let path = rest.joined(separator: "/") + (rest.isEmpty ? "" : slash)
        return "\(origin)" + PercentEncoding.completing(path + target.query)
    }
}

extension OriginMapping {
    fileprivate var folderComponents: [String] { folder?.components.map(String.init) ?? [] }
}

/// The isolation of bundles that a browser would treat as one origin. Computed on each access.
extension ResourceMatch {
    /// Whether other bundles may have pages on the request's host. Then none has cookies or service workers there.
    package var sharesHost: Bool { routes.isShared(covering.target, for: target) }

    /// Whether the bundle has the request's host for itself: it is served from the host's root, and nothing else is
    /// served there, or would be by the origins of another bundle, nor by a proxy beside a public URL's path.
    package var ownsHost: Bool {
        covering.prefix.depth == 0 && isAtRoot && routes.isAlone(covering.target, for: target)
    }

    /// Whether a browser may open pages at this address; otherwise it is for tools, and pages open at ``ownAddress``.
    package var isForPages: Bool { routes.isForPages(covering.target, for: target) }

    /// Whether the bundle is served there by a mount, where another one may have been mounted before.
    package var isMounted: Bool { if case .mount = covering.target.place { true } else { false } }

    /// The cookie of a browser that has no data of an earlier publisher on the bundle's own host; nil where there was
    /// none, and where clearing the host would clear what a proxy has beside the bundle.
    package var publisherCookie: PublisherCookie? {
        // An app that names the whole URL keeps no data by host.
        target.scheme == nil && isAtRoot ? covering.target.publisherCookie : nil
    }

    /// Whether a response is the publisher's own, from a URL that was asked for at the origin: the client names the whole URL,
    /// as an app does, and no rule has led to another host. Then what it concerns besides the bundle is the publisher's
    /// too.
    package func isPublishers(_ url: String) -> Bool {
        guard target.scheme != nil, covering.target.mapping != nil, let asked = RequestTarget(url: url) else {
            return false
        }
        return asked.scheme == target.scheme && asked.authority == target.authority
    }

    /// Where the request was sent, as a reference for the client.
    package var address: String { reference(to: target.path + target.query) }

    /// The same resource on the bundle's own host on this machine, as a reference without scheme (RFC 3986 §4.2), with
    /// the request's port: `//shop.localhost:8080/app.js?v=1`. Nil when the bundle's name is too long for a host, when
    /// the request names a host that isn't the machine itself, as the browser is then on another machine, to which the
    /// address would refer, and below a public URL's path, out of which it would lead.
    package var ownAddress: String? {
        guard isAtRoot, target.host.map(LocalHost.isLoopback) ?? true, let host = LocalHost.name(of: release.name),
            let path = RequestPath(target.path)
        else { return nil }
        let folder = (covering.target.mapping?.folder?.components ?? []).map { PercentEncoding.encode(component: $0) }
        let components = folder + path.rawComponents.dropFirst(covering.prefix.depth).map(String.init)
        let slash = path.isFolder && !components.isEmpty ? "/" : ""
        return "//\(host)\(target.port)/\(components.joined(separator: "/"))\(slash)\(target.query)"
    }

    /// Where the cookies of the resource's origin belong, see ``CookieScope``; nil when it has no origin.
    package var cookieScope: CookieScope? {
        guard let mapping = originMapping else { return nil }
        let isMapped = covering.target.mapping != nil
        let folder = isMapped ? [] : mapping.folder?.components.map(String.init) ?? []
        return CookieScope(
            root: publicRootPath + CookieScope.path(of: folder),
            originRoot: "/" + CookieScope.path(of: mapping.origin.components),
            request: basePath + target.path.dropFirst(),
            isTold: originURL.flatMap(forwardedPrefix) != nil
        )
    }
}

/// Where clients see a bundle behind a proxy.
extension ResourceMatch {
    /// The public URL that the request belongs to; nil when it has come to the endpoint directly.
    package var publicURL: OriginURL? { routes.addresses.publicURL(of: target) }

    /// The path below which clients see the host's root, with a slash at both ends. What they see beside it is the proxy's.
    package var basePath: String {
        publicURL.map { "/" + CookieScope.path(of: $0.components) } ?? "/"
    }

    /// Whether clients see the host's root as the root.
    var isAtRoot: Bool { publicURL?.components.isEmpty ?? true }

    /// ``rootPath`` as clients see it.
    package var publicRootPath: String { basePath + rootPath.dropFirst() }
}

extension BundleAddresses {
    /// The public URL to which a request belongs: one with its host, and its port if the request names one.
    package func publicURL(of target: RequestTarget) -> OriginURL? {
        guard !publicURLs.isEmpty, target.scheme == nil, let host = target.host else { return nil }
        let port = Int(target.port.dropFirst())
        return publicURLs.first { $0.host == host && (port == nil || port == $0.port ?? $0.scheme.defaultPort) }
    }
}

extension ResourceResolver {
    /// The target with which a browser's request for a URL of this server arrives, through a proxy or not; nil for a URL
    /// beside what the proxy passes on.
    package func received(_ url: RequestTarget) -> RequestTarget? {
        let target = RequestTarget(url.path + url.query, host: url.authority)
        guard let publicURL = target.flatMap(routes.addresses.publicURL) else { return target }
        let base = CookieScope.path(of: publicURL.components)
        guard url.path.hasPrefix("/" + base) else { return nil }
        return RequestTarget("/" + url.path.dropFirst(base.count + 1) + url.query, host: url.authority)
    }
}

/// What the origin of a bundle is told about the address that a client has asked for.
extension ResourceMatch {
    /// The root of the address that the client has asked for, as an absolute URL; nil when the request names no host.
    ///
    /// - Parameter scheme: The scheme of requests that don't name theirs.
    package func clientAddress(scheme: String) -> String? {
        if let publicURL { return "\(publicURL.scheme.rawValue)://\(publicURL.authority)/" }
        return target.authority.map { "\(target.scheme ?? scheme)://\($0)/" }
    }

    /// What precedes the origin's path in the path that the client has asked for, as if a proxy had removed it: `/shop` when
    /// `/shop/cart` is asked of the origin as `/cart`. Nil when nothing does, when the two paths don't end alike, and when
    /// the manifest doesn't have the origins told.
    ///
    /// - Parameter url: The absolute URL that the origin is asked for.
    package func forwardedPrefix(to url: String) -> String? {
        guard release.manifest.forwardsAddress, let origin = RequestTarget(url: url) else { return nil }
        // Both in ASCII and in one spelling, since a client chooses among the spellings of a path.
        func normalized(_ path: String) -> String { PercentEncoding.normalizing(PercentEncoding.completing(path).utf8) }
        let (path, suffix) = (normalized(basePath + target.path.dropFirst()), normalized(origin.path))
        guard path.hasSuffix(suffix), path.utf8.count > suffix.utf8.count else { return nil }
        return String(path.dropLast(suffix.count))
    }
}

/// URLs that no bundle covers, in an app that loads them too.
extension ResourceMatch {
    /// The match of an absolute URL that no bundle covers.
    ///
    /// - Parameter target: With a scheme; nil is returned for others.
    package init?(unbundled target: RequestTarget, by resolver: ResourceResolver) {
        guard target.scheme != nil, target.authority != nil else { return nil }
        let covering = RouteTable.Covering(target: .unbundled, prefix: (0, 0))
        self.init(target: target, covering: covering, in: resolver.routes, finding: .nothing)
    }

    /// Whether no bundle covers the URL.
    package var isUnbundled: Bool { release.isUnbundled }

    /// The URL as it was asked for: no bundle says what it may be.
    var unbundledURL: String {
        "\(target.scheme ?? "")://\(target.authority ?? "")" + PercentEncoding.completing(target.path + target.query)
    }

    /// The components of a path that no file could have.
    var looseComponents: [String] {
        target.path.split(separator: "/").map { PercentEncoding.decode($0.utf8) ?? String($0) }
    }
}
