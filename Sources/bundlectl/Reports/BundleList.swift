import BundleServing
import BundleStore

/// The result of `list`.
struct BundleList: Report {
    /// A bundle and its versions.
    struct Entry: Encodable {
        let name: String
        let active: String?
        /// The bundle's own host on this machine; nil when its name is too long for one.
        let host: String?
        /// The version that is served: another one than the active version if that can't be opened.
        let serving: String?
        let versions: [ReleaseSummary]
    }

    let bundles: [Entry]

    init(_ snapshot: StoreSnapshot) {
        bundles = snapshot.sortedBundles.map { bundle in
            Entry(
                name: bundle.name.string,
                active: bundle.activeVersion?.string,
                host: LocalHost.name(of: bundle.name),
                serving: bundle.serving.flatMap { $0.isReadable ? $0.version.string : nil },
                versions: bundle.summaries
            )
        }
    }

    var lines: [String] {
        guard !bundles.isEmpty else { return ["no bundles"] }
        var table = Table([
            ("NAME", .left), ("VERSION", .left), ("STATE", .left), ("FILES", .right), ("SIZE", .right),
            ("INSTALLED", .left), ("HOST", .left),
        ])
        for bundle in bundles {
            for release in bundle.versions {
                table.add([
                    bundle.name, release.version, release.stateText, String(release.fileCount),
                    ByteCount.text(release.byteCount), Timestamp.text(release.installedAt),
                    release.state == ReleaseState.active.rawValue ? bundle.host ?? "none" : "",
                ])
            }
        }
        return table.lines
    }
}
