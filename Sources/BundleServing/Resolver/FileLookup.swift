import BundleStore

/// Finds the file of a bundle that answers a path: the numbered steps are the order of precedence.
struct FileLookup {
    let bundle: InstalledBundle
    let active: Release
    let isNavigation: Bool

    /// - Parameters:
    ///   - path: The path inside the bundle, or nil for its root.
    ///   - isFolder: Whether the URL ends in a slash.
    func outcome(_ path: BundlePath?, isFolder: Bool, target: RequestTarget) -> ResourceMatch.Outcome {
        // 1. A file of the active release, or the page of its root or folder.
        if let resource = file(path, isFolder: isFolder, in: active, .active) { return .found(resource) }
        // 2. A folder without its slash: relative links in its page would go astray.
        if !isFolder, file(path, isFolder: true, in: active, .active) != nil {
            return .redirect(to: target.path + "/" + target.query)
        }
        // 3. An earlier release, for what an open page of it still asks.
        if !isNavigation, let resource = retained(path, isFolder: isFolder) { return .found(resource) }
        // 4. A client-side route.
        if let path, isNavigation, let resource = route(path) { return .found(resource) }
        return .missing
    }

    private func file(_ path: BundlePath?, isFolder: Bool, in release: Release, _ layer: Resource.Layer) -> Resource? {
        guard let path else {
            // The root without its slash is a folder without its slash.
            return isFolder ? Resource(release.asset(at: release.manifest.entry), layer: layer, rule: .entry) : nil
        }
        guard isFolder else { return Resource(release.asset(at: path), layer: layer, rule: .path) }
        guard let index = try? BundlePath("\(path)/index.html") else { return nil }
        return Resource(release.asset(at: index), layer: layer, rule: .index)
    }

    private func retained(_ path: BundlePath?, isFolder: Bool) -> Resource? {
        bundle.retained.lazy.compactMap { file(path, isFolder: isFolder, in: $0, .retained) }.first
    }

    private func route(_ path: BundlePath) -> Resource? {
        guard let fallback = active.manifest.fallback, fallback.covers(path), Self.mayBePage(path) else { return nil }
        return Resource(active.asset(at: fallback.file), layer: .active, rule: .fallback)
    }

    /// Whether a path may name a page: a link to a missing script, style or image must not get one.
    private static func mayBePage(_ path: BundlePath) -> Bool {
        guard let type = path.fileExtension.flatMap(MediaType.forExtension) else { return true }
        return type.isPage
    }
}
