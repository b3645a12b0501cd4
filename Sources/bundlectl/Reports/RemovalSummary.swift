import BundleStore

/// The result of `remove`.
struct RemovalSummary: Report {
    let name: String
    let versions: [String]
    /// What no version uses and pruning has yet to free, in bytes.
    let keptByteCount: Int64

    init(_ name: BundleName, _ versions: [BundleVersion], keptByteCount: Int64) {
        self.keptByteCount = keptByteCount
        self.name = name.string
        self.versions = versions.map(\.string)
    }

    var lines: [String] {
        // A release that can't be read has no version.
        let removed = "removed \(versions.isEmpty ? name : versions.map { "\(name)@\($0)" }.joined(separator: ", "))"
        guard keptByteCount > 0 else { return [removed] }
        return [
            removed,
            "not freed yet: \(ByteCount.text(keptByteCount)) that no version uses; “bundlectl prune” frees segments that are "
                + "more than half unused",
        ]
    }
}
