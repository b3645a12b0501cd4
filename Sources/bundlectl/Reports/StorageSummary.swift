import BundleStore

/// The result of `show --storage`.
struct StorageSummary: Report {
    /// The space that a version takes.
    struct Version: Encodable {
        let name: String
        let version: String
        let state: String
        let isPinned: Bool
        let ownByteCount: Int64
        let sharedByteCount: Int64
        let indexByteCount: Int64
    }

    let versions: [Version]
    /// The space that the store takes.
    let store: StorageReport
    let quota: Int64?

    /// - Parameter isShown: Whether a release is listed.
    init(_ report: StorageReport, of isShown: (Release) -> Bool) {
        versions = report.versions.filter { isShown($0.release) }.map(Version.init)
        store = report
        quota = report.quota
    }

    var lines: [String] { (versions.isEmpty ? [] : table + [""]) + facts }

    private var table: [String] {
        Table.lines(
            of: versions,
            [
                .left("NAME") { $0.name }, .left("VERSION") { $0.version },
                .left("STATE") { $0.isPinned ? "\($0.state), pinned" : $0.state },
                .right("OWN") { ByteCount.text($0.ownByteCount) },
                .right("SHARED") { ByteCount.text($0.sharedByteCount) },
                .right("INDEX") { ByteCount.text($0.indexByteCount) },
            ]
        )
    }

    private var facts: [String] {
        let undetermined = store.undeterminedByteCount
        let live = ByteCount.text(store.contentByteCount - store.deadByteCount - undetermined)
        let dead = ByteCount.text(store.deadByteCount)
        return KeyValueList.lines([
            ("segments", "\(store.segmentCount) with \(ByteCount.text(store.contentByteCount))"),
            ("in use", "\(live), \(ByteCount.text(store.sharedByteCount)) of it shared"), ("unused", dead),
            ("damaged", undetermined > 0 ? "\(ByteCount.text(undetermined)) of versions that can't be opened" : nil),
            ("indexes", ByteCount.text(store.indexByteCount)), ("cache", ByteCount.text(store.cacheByteCount)),
            ("variants", ByteCount.text(store.variantByteCount)),
            ("downloads", ByteCount.text(store.downloadByteCount)),
            ("incoming", ByteCount.text(store.incomingByteCount)),
            ("catalog", ByteCount.text(store.catalogByteCount)),
            ("quota", quota.map(ByteCount.text) ?? "none"),
        ])
    }
}

extension StorageSummary.Version {
    init(_ version: StorageReport.Version) {
        name = version.release.name.string
        self.version = version.release.version.string
        state = version.release.state.rawValue
        isPinned = version.release.isPinned
        ownByteCount = version.ownByteCount
        sharedByteCount = version.sharedByteCount
        indexByteCount = version.indexByteCount
    }
}
