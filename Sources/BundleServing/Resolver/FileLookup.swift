import BundleStore

/// Finds the file of a bundle that answers a path: the numbered steps are the order of precedence.
struct FileLookup {
    /// What a bundle has at a path.
    enum Finding {
        case file(Resource)
        /// There is a folder of this name, and the URL lacks its slash.
        case folder
        case nothing
    }

    let target: RouteTable.Target
    let isNavigation: Bool
    /// The earlier release that the asking page is of, when the request says so.
    let page: Release?

    private var active: Release { target.active }

    func finding(at path: BundledPath) -> Finding {
        // 1. What the page that asks was made with.
        if let page, let resource = file(path, isFolder: path.isFolder, in: page, .retained) { return .file(resource) }
        // 2. A file of the active release, or the page of its root or folder.
        if let resource = file(path, isFolder: path.isFolder, in: active, .active) { return .file(resource) }
        // 3. A folder without its slash: relative links in its page would go astray.
        if !path.isFolder, file(path, isFolder: true, in: active, .active) != nil { return .folder }
        // 4. An earlier release, for what an open page of it still asks.
        if !isNavigation, let resource = earlier(path) { return .file(resource) }
        // 5. A client-side route.
        if isNavigation, let resource = route(path) { return .file(resource) }
        return .nothing
    }

    private func file(
        _ path: BundledPath,
        isFolder: Bool,
        in release: Release,
        _ layer: Resource.Layer
    ) -> Resource? {
        guard let file = path.path, let page = path.page else {
            // The root without its slash is a folder without its slash.
            return isFolder ? Resource(release.asset(at: release.manifest.entry), layer: layer, rule: .entry) : nil
        }
        return isFolder
            ? Resource(release.asset(atPath: page), layer: layer, rule: .index)
            : Resource(release.asset(atPath: file), layer: layer, rule: .path)
    }

    private func earlier(_ path: BundledPath) -> Resource? {
        for release in target.retained {
            if let resource = file(path, isFolder: path.isFolder, in: release, .retained) { return resource }
        }
        return nil
    }

    private func route(_ path: BundledPath) -> Resource? {
        guard let fallback = active.manifest.fallback, let bytes = path.path,
            let path = try? BundlePath(String(decoding: bytes, as: UTF8.self)),
            Self.mayBePage(path), fallback.covers(path)
        else { return nil }
        return Resource(active.asset(at: fallback.file), layer: .active, rule: .fallback)
    }

    /// Whether a path may name a page: a link to a missing script, style or image must not get one.
    private static func mayBePage(_ path: BundlePath) -> Bool {
        guard let type = path.fileExtension.flatMap(MediaType.forExtension) else { return true }
        return type.isPage
    }
}
