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
        /// Whether updates leave it as it is.
        let isOnHold: Bool
        /// The version that updates must exceed; nil when that is the active one.
        let held: String?
        let versions: [ReleaseSummary]
    }

    let bundles: [Entry]

    /// - Parameter states: What is remembered of the bundles' updates.
    init(_ snapshot: StoreSnapshot, states: [BundleName: UpdateState]) {
        bundles = snapshot.sortedBundles.map { bundle in
            Entry(
                name: bundle.name.string,
                active: bundle.activeVersion?.string,
                host: LocalHost.name(of: bundle.name),
                serving: bundle.serving.flatMap { $0.isReadable ? $0.version.string : nil },
                isOnHold: states[bundle.name]?.isOnHold ?? false,
                held: states[bundle.name]?.heldVersion?.string,
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
                let isActive = release.state == ReleaseState.active.rawValue
                table.add([
                    bundle.name, release.version, release.stateText + (isActive ? bundle.remark : ""),
                    String(release.fileCount),
                    ByteCount.text(release.byteCount), Timestamp.text(release.installedAt),
                    isActive ? bundle.host ?? "none" : "",
                ])
            }
        }
        return table.lines
    }
}

extension BundleList.Entry {
    /// What keeps updates from installing something.
    fileprivate var remark: String {
        if isOnHold { return ", on hold" }
        return held.map { ", held back up to \($0)" } ?? ""
    }
}
