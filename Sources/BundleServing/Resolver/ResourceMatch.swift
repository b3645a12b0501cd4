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
