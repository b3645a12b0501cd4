import BundleStore

/// What `prune` did.
struct PruneSummary: Report {
    /// A version that is gone.
    struct Version: Encodable {
        let name: String
        let version: String
    }

    /// What became of segments with unused contents.
    struct Compaction: Encodable {
        let segmentCount: Int
        let byteCount: Int64
    }

    let versions: [Version]
    let fileCount: Int
    let byteCount: Int64
    let compaction: Compaction
    let warnings: [String]

    init(_ report: BundleStore.PruneReport) {
        versions = report.releases.map { Version(name: $0.name.string, version: $0.version.string) }
        fileCount = report.fileCount
        byteCount = report.byteCount
        compaction = Compaction(segmentCount: report.compaction.segmentCount, byteCount: report.compaction.byteCount)
        warnings = report.warnings
    }

    var lines: [String] {
        guard !versions.isEmpty || fileCount > 0 || compaction.segmentCount > 0 else { return ["nothing to prune"] }
        let compacted =
            "\(Quantity.text(compaction.segmentCount, "segment")), \(ByteCount.text(compaction.byteCount)) freed"
        return versions.map { "removed \($0.name)@\($0.version)" }
            + (fileCount > 0 ? ["deleted \(Quantity.text(fileCount, "file")), \(ByteCount.text(byteCount)) freed"] : [])
            + (compaction.segmentCount > 0 ? ["compacted \(compacted)"] : [])
    }
}
