import BundleStore

/// Maps URLs to bundled files. A pure look-up in memory: no lock, no waiting, no I/O beyond the mapped store.
///
/// A value made from one ``BundleStore/StoreSnapshot``; make another when the store has changed. Safe to share between
/// threads.
///
///     let store = try BundleStore(at: path)
///     let resolver = ResourceResolver(store.snapshot)
///     if let resource = resolver.resolve("https://m.example.com/shop/app.js") {
///         resource.contents.withUnsafeBytes { bytes in … }
///     }
public struct ResourceResolver: Sendable {
    private let bundles: [BundleName: InstalledBundle]
    private let origins: PrefixTable<OriginMapping>
    private let mounts: PrefixTable<Mount?>

    /// - Parameters:
    ///   - snapshot: The bundles to answer from.
    ///   - mounts: Where bundles answer on paths without an origin, beside `/NAME/`.
    public init(_ snapshot: StoreSnapshot, mounts: [Mount] = []) {
        bundles = snapshot.bundles.filter { $0.value.active != nil }
        var origins = PrefixTable<OriginMapping>()
        var mountTable = PrefixTable<Mount?>()
        for bundle in snapshot.sortedBundles {
            for mapping in bundle.active?.manifest.origins ?? [] {
                origins.insert(mapping, for: bundle.name, at: mapping.origin.components, in: mapping.origin.site)
            }
        }
        // Mounts first: they were asked for by name.
        for mount in mounts { mountTable.insert(mount, for: mount.name, at: mount.components, in: "") }
        for name in bundles.keys.sorted() { mountTable.insert(nil, for: name, at: [name.string], in: "") }
        self.origins = origins
        self.mounts = mountTable
    }

    /// The file that answers an absolute URL, or nil. Query and fragment don't count; a folder gives its `index.html`, and
    /// without its slash nothing (``match(_:isNavigation:)`` tells the redirect).
    public func resolve(_ url: String) -> Resource? {
        guard let target = RequestTarget(url: url), let match = match(target, isNavigation: false),
            case .found(let resource) = match.outcome
        else { return nil }
        return resource
    }

    /// What the covering bundle says to a request, or nil when no bundle covers it.
    ///
    /// A mapped origin counts before a mount; the longest prefix wins, by whole components.
    ///
    /// - Parameter isNavigation: Whether a page is being opened: client-side routes answer then, and earlier releases,
    ///   which only serve the pages still open on them, don't.
    public func match(_ target: RequestTarget, isNavigation: Bool) -> ResourceMatch? {
        guard let path = RequestPath(target.path), let covering = covering(target, path),
            let bundle = bundles[covering.bundle], let release = bundle.active
        else { return nil }
        let inner = covering.folder + path.components.dropFirst(covering.prefixLength)
        // Components are valid one by one; together they may still be too long or too deep.
        let bundlePath = inner.isEmpty ? nil : try? BundlePath(inner.joined(separator: "/"))
        guard inner.isEmpty || bundlePath != nil else { return nil }
        return ResourceMatch(
            release: release,
            route: covering.route,
            path: bundlePath,
            originURL: originURL(of: covering, release, path, inner: inner, target),
            outcome: FileLookup(bundle: bundle, active: release, isNavigation: isNavigation)
                .outcome(bundlePath, isFolder: path.isFolder, target: target)
        )
    }

    private struct Covering {
        let bundle: BundleName
        let route: ResourceMatch.Route
        let folder: [String]
        let prefixLength: Int
        let origin: OriginURL?
    }

    private func covering(_ target: RequestTarget, _ path: RequestPath) -> Covering? {
        if let authority = target.authority {
            // The longest of both schemes' when the request doesn't say which; https when they are equal.
            let schemes = target.scheme.map { [$0] } ?? ["https", "http"]
            let found = schemes.compactMap { origins.longest(path.components, in: "\($0)://\(authority)") }
            if let found = found.max(by: { $0.length < $1.length }) {
                return Covering(
                    bundle: found.bundle,
                    route: .origin(found.value),
                    folder: found.value.folderComponents,
                    prefixLength: found.length,
                    origin: found.value.origin
                )
            }
            // An absolute URL outside the origins isn't ours, whatever its path looks like. A path is, also when its host is
            // mapped: that may be the address that the endpoint itself listens on.
            if target.scheme != nil { return nil }
        }
        return mounts.longest(path.components, in: "").map { found in
            Covering(
                bundle: found.bundle,
                route: .mount(Array(path.components.prefix(found.length))),
                folder: [],
                prefixLength: found.length,
                origin: nil
            )
        }
    }

    private func originURL(
        of covering: Covering,
        _ release: Release,
        _ path: RequestPath,
        inner: [String],
        _ target: RequestTarget
    ) -> String? {
        let rawInner = path.rawComponents.dropFirst(covering.prefixLength)
        let slash = path.isFolder && !rawInner.isEmpty ? "/" : ""
        if let origin = covering.origin {
            return "\(origin)" + PercentEncoding.completing(rawInner.joined(separator: "/") + slash + target.query)
        }
        let mapping = release.manifest.origins
            .filter { inner.starts(with: $0.folderComponents) }
            .max { $0.folderComponents.count < $1.folderComponents.count }
        return mapping.map { mapping in
            let rest = rawInner.dropFirst(mapping.folderComponents.count).joined(separator: "/")
            return "\(mapping.origin)" + PercentEncoding.completing(rest + (rest.isEmpty ? "" : slash) + target.query)
        }
    }
}

extension OriginMapping {
    fileprivate var folderComponents: [String] { folder?.components.map(String.init) ?? [] }
}

extension OriginURL {
    fileprivate var site: String { "\(scheme.rawValue)://\(authority)" }
}
