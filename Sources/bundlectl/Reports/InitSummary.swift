import BundleStore

/// The result of `init`.
struct InitSummary: Report {
    let manifest: String
    let name: String
    let version: String
    let origins: [String]
    let entry: String
    /// The page of the routes; nil when only files respond.
    let fallback: String?
    let routes: [String]

    private let folder: String

    private enum CodingKeys: CodingKey {
        case manifest, name, version, origins, entry, fallback, routes
    }

    init(_ draft: ManifestDraft, folder: String) {
        manifest = "\(folder)/\(BundleManifest.fileName)"
        name = draft.name.string
        version = draft.version.string
        origins = draft.origins.map(\.origin.description)
        entry = draft.entry ?? BundleManifest.defaultEntry.string
        fallback = draft.fallback
        routes = draft.routes
        self.folder = folder
    }

    var lines: [String] {
        let folder = Printable.line(folder)
        let routing = fallback.map { ["routes without a file get \($0); --no-fallback leaves that out"] } ?? []
        let addressing =
            origins.isEmpty ? ["it has no origins: an endpoint serves it at http://\(name).localhost:PORT/"] : []
        return ["wrote \(Printable.line(manifest)): \(name)@\(version), \(entry)"] + routing + addressing + [
            "next: bundlectl pack \(folder.shellWord) \(name)-\(version).zip",
            "or:   bundlectl install \(folder.shellWord)",
        ]
    }
}
