import BundleStore

/// What `prune` did.
struct PruneSummary: Report {
    /// A version that is gone.
    struct Version: Encodable {
        let name: String
        let version: String
    }

    let versions: [Version]
    let fileCount: Int
    let byteCount: Int64

    init(_ report: BundleStore.PruneReport) {
        versions = report.releases.map { Version(name: $0.name.string, version: $0.version.string) }
        fileCount = report.fileCount
        byteCount = report.byteCount
    }

    var lines: [String] {
        guard !versions.isEmpty || fileCount > 0 else { return ["nothing to prune"] }
        return versions.map { "removed \($0.name)@\($0.version)" }
            + ["deleted \(Quantity.text(fileCount, "file")), \(ByteCount.text(byteCount))"]
    }
}
