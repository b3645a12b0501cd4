import BundleStore
import Foundation

/// The result of `show`.
struct ReleaseDetails: Report {
    /// A URL prefix and the folder that it is mapped to.
    struct Origin: Encodable {
        let url: String
        let path: String
    }

    /// The route fallback.
    struct Fallback: Encodable {
        let file: String
        let routes: [String]
    }

    /// A file, with `--files`.
    struct File: Encodable {
        let path: String
        let byteCount: Int
        let mediaType: String
        let sha256: String
    }

    /// The recorded state of update checks.
    struct Updates: Encodable {
        let checkedAt: Date?
        let heldVersion: String?
        let lastFailure: String?
    }

    let name: String
    let version: String
    let state: String
    let isPinned: Bool
    let isDamaged: Bool
    let contentDigest: String
    let fileCount: Int
    let byteCount: Int64
    let installedAt: Date
    let activatedAt: Date?
    let origins: [Origin]
    let entry: String
    let fallback: Fallback?
    let offlinePage: String?
    let feed: String?
    let channel: String
    let updates: Updates
    let versions: [ReleaseSummary]
    let files: [File]?

    init(_ release: Release, in bundle: InstalledBundle?, updates: UpdateState?, listsFiles: Bool) {
        let manifest = release.manifest
        name = release.name.string
        version = release.version.string
        state = release.state.rawValue
        isPinned = release.isPinned
        isDamaged = !release.isReadable
        contentDigest = release.contentDigest.hex
        fileCount = release.fileCount
        byteCount = release.byteCount
        installedAt = release.installedAt
        activatedAt = release.activatedAt
        origins = manifest.origins.map { Origin(url: $0.origin.description, path: $0.path) }
        entry = manifest.entry.string
        fallback = manifest.fallback.map { Fallback(file: $0.file.string, routes: $0.routes.map(\.string)) }
        offlinePage = manifest.offlinePage?.string
        feed = manifest.feed
        channel = manifest.channel
        self.updates = Updates(
            checkedAt: updates?.checkedAt,
            heldVersion: updates?.heldVersion?.string,
            lastFailure: updates?.lastFailure
        )
        versions = bundle?.summaries ?? []
        files = listsFiles ? release.assets.map(File.init) : nil
    }

    var lines: [String] {
        KeyValueList.lines(facts) + (files.map { [""] + Self.table(of: $0) } ?? [])
    }

    private var facts: [(String, String?)] {
        let others = versions.filter { $0.version != version }.map { "\($0.version) (\($0.stateText))" }
        return [
            ("name", name), ("version", version),
            ("state", ReleaseSummary.stateText(state, isPinned: isPinned, isDamaged: isDamaged)),
            ("content", "\(Quantity.text(fileCount, "file")), \(ByteCount.text(byteCount))"), ("digest", contentDigest),
            ("installed", Timestamp.text(installedAt)), ("activated", activatedAt.map(Timestamp.text)),
        ]
            + origins.map { ("origin", Printable.line("\($0.url) ↔ \($0.path)")) }
            + [
                ("entry", Printable.line(entry)),
                ("fallback", fallback.map { Printable.line("\($0.file) for \($0.routes.joined(separator: ", "))") }),
                ("offline page", offlinePage.map(Printable.line)), ("feed", feed.map(Printable.line)),
                ("channel", Printable.line(channel)), ("checked", updates.checkedAt.map(Timestamp.text)),
                ("last failure", updates.lastFailure.map(Printable.line)), ("held back", updates.heldVersion),
                ("other versions", others.isEmpty ? nil : others.joined(separator: ", ")),
            ]
    }

    private static func table(of files: [File]) -> [String] {
        var table = Table([("SIZE", .right), ("MEDIA TYPE", .left), ("PATH", .left)])
        for file in files {
            let size = ByteCount.text(Int64(file.byteCount))
            table.add([size, Printable.line(file.mediaType), Printable.line(file.path)])
        }
        return table.lines
    }
}

extension ReleaseDetails.File {
    init(_ asset: Asset) {
        path = asset.path
        byteCount = asset.byteCount
        mediaType = asset.mediaType
        sha256 = asset.digest.hex
    }
}
