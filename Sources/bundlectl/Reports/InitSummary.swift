import BundlePublishing
import BundleServing
import BundleStore

/// The result of `init`.
struct InitSummary: Report {
    let manifest: String
    /// Where it was written too; nil for nowhere.
    let copy: String?
    let name: String
    let version: String
    let origins: [String]
    let entry: String
    /// The page of the routes; nil when only files respond.
    let fallback: String?
    let routes: [String]
    /// Nil when no name has a hash of the content.
    let hashedFolders: [HashedFolder]?

    private let folder: String
    /// The option by which other verbs find the manifest.
    private let option: String
    /// The bundle's own host on this machine; nil when its name is too long for one.
    private let host: String?

    private enum CodingKeys: CodingKey {
        case manifest, copy, name, version, origins, entry, fallback, routes, hashedFolders
    }

    /// - Parameters:
    ///   - draft: What was written.
    ///   - folder: The folder of the bundle's files.
    ///   - place: Where.
    ///   - hashed: How many files of each folder have a name with a hash.
    init(_ draft: ManifestDraft, folder: String, place: ManifestPlace, hashed: [String: Int]) {
        let hashed = hashed.sorted { $0.key < $1.key }.map { HashedFolder(folder: $0.key, fileCount: $0.value) }
        hashedFolders = hashed.isEmpty ? nil : hashed
        (manifest, copy) = (place.path, place.copy)
        option = place.isElsewhere ? " --manifest \(Printable.line(place.path).shellWord)" : ""
        name = draft.name.string
        host = LocalHost.name(of: draft.name)
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
        let address = host.map { "http://\($0):PORT/" } ?? "http://localhost:PORT/\(name)/"
        let addressing = origins.isEmpty ? ["it has no origins: an endpoint serves it at \(address)"] : []
        let naming = [hashedFolders.flatMap(HashedFolder.line)].compactMap(\.self)
        let copying = copy.map { ["wrote \(Printable.line($0)) too, as the next build will copy it there"] } ?? []
        let written = ["wrote \(Printable.line(manifest)): \(name)@\(version), \(entry)"] + copying
        return written + routing + addressing + naming + [
            "next: bundlectl pack \(folder.shellWord) \(name)-\(version).zip\(option)",
            "or:   bundlectl install \(folder.shellWord)\(option)",
        ]
    }
}
