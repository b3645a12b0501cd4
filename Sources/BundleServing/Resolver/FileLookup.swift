import BundleStore

/// Finds the file of a bundle to serve for a path: the numbered steps are the order of precedence.
struct FileLookup {
    /// What a bundle has at a path.
    enum Finding {
        case file(Resource)
        /// A folder of this name; the URL lacks the slash.
        case folder
        /// A file whose bytes are no longer in the store; nil stands for a release of which nothing can be read.
        case damaged(Asset?)
        case nothing
    }

    /// A file, and the rule that selected it.
    private struct Candidate {
        let asset: Asset
        let rule: Resource.Rule
    }

    let target: RouteTable.Target
    let isNavigation: Bool
    /// The earlier release of the requesting page, when the request names it.
    let page: Release?

    private var active: Release { target.active }

    func finding(at path: BundledPath) -> Finding {
        if target.isWithdrawn { return .nothing }
        let finding = unchecked(path)
        // Nothing in an unreadable index can be trusted.
        return active.hasFaulted || page?.hasFaulted == true ? .damaged(nil) : finding
    }

    private func unchecked(_ path: BundledPath) -> Finding {
        // 1. The release of the requesting page.
        if let page, let resource = file(path, in: page) { return .file(resource) }
        // 2. A file of the active release, or the page of its root or folder. If its bytes are lost, only the same
        //    content replaces them, from any place in the bundle.
        if let candidate = candidate(path, isFolder: path.isFolder, in: active) { return finding(of: candidate) }
        guard active.isReadable else { return .damaged(nil) }
        // 3. A folder without its slash: relative links in its page would resolve wrongly.
        if !path.isFolder, isMount(path) || candidate(path, isFolder: true, in: active) != nil { return .folder }
        // 4. An earlier release, for requests of pages that are still open on it. Not if the active one may have the
        //    file after all: an index that was truncated inside a memory page is read as zeros.
        if !isNavigation, let resource = earlier(path) {
            return active.hasChangedIndex ? .damaged(nil) : .file(resource)
        }
        // 5. A client-side route.
        if isNavigation, let candidate = route(path) { return finding(of: candidate) }
        return .nothing
    }

    /// Whether it is a mount, which is a folder even without a page of the bundle: its origin's page has relative links, too.
    private func isMount(_ path: BundledPath) -> Bool {
        guard path.path == nil else { return false }
        return switch target.place {
        case .mount, .name: true
        case .origin, .host, .unbundled: false
        }
    }

    private func finding(of candidate: Candidate) -> Finding {
        if let resource = Resource(candidate.asset, layer: .active, rule: candidate.rule) { return .file(resource) }
        let copy = target.retained.lazy.compactMap { $0.asset(withContent: candidate.asset.digest)?.contents }.first
        return copy.map { .file(Resource(candidate.asset, $0, layer: .active, rule: candidate.rule)) }
            ?? .damaged(candidate.asset)
    }

    private func candidate(_ path: BundledPath, isFolder: Bool, in release: Release) -> Candidate? {
        guard let file = path.path, let page = path.page else {
            // The root without its slash is a folder without its slash.
            guard isFolder else { return nil }
            return release.asset(at: release.manifest.entry).map { Candidate(asset: $0, rule: .entry) }
        }
        return isFolder
            ? release.asset(atPath: page).map { Candidate(asset: $0, rule: .index) }
            : release.asset(atPath: file).map { Candidate(asset: $0, rule: .path) }
    }

    /// A file of an earlier release.
    private func file(_ path: BundledPath, in release: Release) -> Resource? {
        candidate(path, isFolder: path.isFolder, in: release).flatMap {
            Resource($0.asset, layer: .retained, rule: $0.rule)
        }
    }

    private func earlier(_ path: BundledPath) -> Resource? {
        for release in target.open {
            if let resource = file(path, in: release) { return resource }
        }
        return nil
    }

    private func route(_ path: BundledPath) -> Candidate? {
        guard let fallback = active.manifest.fallback, let bytes = path.path,
            let path = try? BundlePath(String(decoding: bytes, as: UTF8.self)),
            Self.mayBePage(path), fallback.covers(path)
        else { return nil }
        return active.asset(at: fallback.file).map { Candidate(asset: $0, rule: .fallback) }
    }

    /// Whether a path may name a page: a link to a missing script, style or image must not get one.
    private static func mayBePage(_ path: BundlePath) -> Bool {
        guard let type = path.fileExtension.flatMap(MediaType.forExtension) else { return true }
        return type.isPage
    }
}
