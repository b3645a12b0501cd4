import BundleServing
import BundleStore
import BundleTesting

/// A store with a few small bundles, and its resolver.
struct ResolverFixture {
    let store: BundleStore

    init(in directory: TemporaryDirectory) throws {
        store = try BundleStore(at: directory.path, creating: true)
    }

    init(store: BundleStore) {
        self.store = store
    }

    /// Installs a release in which each file's content is the version and its own path.
    func install(
        _ name: String = "shop",
        _ version: String = "1.0.0",
        origins: [(url: String, path: String)] = [("https://m.example.com/shop/", "/")],
        members: String = "",
        files: [String],
        activating: Bool = true
    ) throws {
        let list = origins.map { #"{"url": "\#($0.url)", "path": "\#($0.path)"}"# }.joined(separator: ", ")
        let manifest = try BundleManifest.sample(
            name,
            version,
            #""origins": [\#(list)]"# + (members.isEmpty ? "" : ", \(members)")
        )
        let contents = files.map { ($0, "\(version) \($0)") }
        try store.install(
            manifest,
            files: Dictionary(contents, uniquingKeysWith: { first, _ in first }),
            activating: activating,
            mediaType: { MediaType.detect($0, $1, overrides: manifest.mediaTypes).string }
        )
    }

    func resolver(mounts: [String] = []) -> ResourceResolver {
        ResourceResolver(store.snapshot, addresses: BundleAddresses(mounts: mounts.compactMap(Mount.init)))
    }
}

extension ResourceResolver {
    /// The result of a request, in one phrase: the path of the file, `-> target` for a redirect, `missing`, or nil when
    /// no bundle covers it.
    func outcome(_ target: RequestTarget?, isNavigation: Bool = false) -> String? {
        guard let target, let match = match(target, isNavigation: isNavigation) else { return nil }
        switch match.outcome {
        case .found(let resource): return resource.asset.path
        case .redirect(let location): return "-> \(location)"
        case .damaged: return "damaged"
        case .missing: return "missing"
        }
    }

    func outcome(_ url: String, isNavigation: Bool = false) -> String? {
        outcome(RequestTarget(url: url), isNavigation: isNavigation)
    }

    func outcome(_ target: String, host: String?, isNavigation: Bool = false) -> String? {
        outcome(RequestTarget(target, host: host), isNavigation: isNavigation)
    }
}
