import BundleServing
import BundleStore
import Foundation

/// Where the files of a release are on the web, and what a URL leads to. A value type; safe to share between threads.
struct ReleaseURLs: Sendable {
    private let release: Release
    private let resolver: ResourceResolver
    /// Those that have files, without a slash at the end; the release's root is empty.
    private let folders: Set<String>

    /// - Parameter snapshot: Of a store in which the release is active.
    init(_ release: Release, in snapshot: StoreSnapshot) {
        self.release = release
        resolver = ResourceResolver(snapshot)
        folders = Self.folders(of: release)
    }

    private static func folders(of release: Release) -> Set<String> {
        var folders: Set<String> = []
        for asset in release.assets {
            var folder = Substring(asset.path)
            repeat {
                folder = folder[..<(folder.lastIndex(of: "/") ?? folder.startIndex)]
            } while folders.insert(String(folder)).inserted && !folder.isEmpty
        }
        return folders
    }

    private var origins: [OriginMapping] { release.manifest.origins }
    /// Where a release without origins is; nil when its name is too long for a host.
    private var ownRoot: String? { LocalHost.name(of: release.name).map { "http://\($0)/" } }

    /// The URL of a file; nil when no origin covers it.
    func url(of path: String) -> URL? {
        let components = path.split(separator: "/").map(String.init)
        func url(_ root: String, _ rest: some Sequence<String>) -> URL? {
            URL(string: root + rest.map { PercentEncoding.encode(component: $0) }.joined(separator: "/"))
        }
        guard !origins.isEmpty else { return ownRoot.flatMap { url($0, components) } }
        for mapping in origins {
            let folder = mapping.folder?.components.map(String.init) ?? []
            if components.starts(with: folder) { return url("\(mapping.origin)", components.dropFirst(folder.count)) }
        }
        return nil
    }

    /// The file for a URL; nil when the release has none.
    ///
    /// - Parameter isNavigation: Whether a page is opened, for which client-side routes count.
    func file(at url: URL, isNavigation: Bool) -> Asset? {
        let path = url.path(percentEncoded: true)
        // A responder redirects a folder's URL without its slash.
        return file(at: url, path, isNavigation) ?? file(at: url, path + "/", isNavigation)
    }

    private func file(at url: URL, _ path: String, _ isNavigation: Bool) -> Asset? {
        var authority = (url.host(percentEncoded: true) ?? "") + (url.port.map { ":\($0)" } ?? "")
        var path = path
        return authority.withUTF8 { authority in
            path.withUTF8 { path in
                resolver.resolve(
                    scheme: url.scheme?.lowercased() == "https" ? .https : .http,
                    authority: UnsafeRawBufferPointer(authority),
                    path: UnsafeRawBufferPointer(path),
                    isNavigation: isNavigation
                )?.asset
            }
        }
    }

    /// Whether a URL is that of a folder with files, with its slash.
    func isFolder(_ url: URL) -> Bool {
        guard url.path(percentEncoded: true).hasSuffix("/"), covers(url), let parts = origin(of: url)
        else { return false }
        return folders.contains(components(of: parts).joined(separator: "/"))
    }

    /// The place in the release of what its origins cover.
    private func components(of parts: OriginURL) -> [String] {
        guard let mapping = origins.first(where: { $0.origin.contains(parts) }) else { return parts.components }
        let folder = mapping.folder?.components.map(String.init) ?? []
        return folder + parts.components.dropFirst(mapping.origin.components.count)
    }

    /// Whether a URL lies below one of the release's origins.
    func covers(_ url: URL) -> Bool {
        guard !origins.isEmpty else { return ownRoot.map(url.absoluteString.hasPrefix) ?? false }
        return origin(of: url).map { url in origins.contains { $0.origin.contains(url) } } ?? false
    }

    /// Whether the manifest says something about what is at a URL: a network rule, or that it is fetched ahead.
    func isProvidedFor(_ url: URL, _ kind: RequestKind) -> Bool {
        let network = release.manifest.network
        if network.precache.contains(url.absoluteString) { return true }
        guard let parts = origin(of: url) else { return false }
        let subject = PatternSubject(
            path: SubjectPath(components(of: parts)),
            origin: parts.root,
            urlPath: SubjectPath(parts.components)
        )
        return network.rules.contains { $0.match.matches(method: "GET", kind: kind, subject) }
    }

    /// A URL's parts; nil for one that no rule can mean.
    private func origin(of url: URL) -> OriginURL? {
        try? OriginURL(String(url.absoluteString.prefix { $0 != "?" && $0 != "#" }))
    }
}
