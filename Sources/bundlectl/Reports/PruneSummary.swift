import BundleStore

/// The result of `prune`.
struct PruneSummary: Report {
    /// What was done with segments that had unused contents.
    struct Compaction: Encodable {
        let segmentCount: Int
        let byteCount: Int64
    }

    let versions: [RemovedVersion]
    let fileCount: Int
    let byteCount: Int64
    let compaction: Compaction
    let keptDownloadCount: Int
    let keptDownloadByteCount: Int64
    let warnings: [String]

    init(_ report: BundleStore.PruneReport) {
        versions = report.releases.map(RemovedVersion.init)
        fileCount = report.fileCount
        byteCount = report.byteCount
        compaction = Compaction(segmentCount: report.compaction.segmentCount, byteCount: report.compaction.byteCount)
        keptDownloadCount = report.keptDownloadCount
        keptDownloadByteCount = report.keptDownloadByteCount
        warnings = report.warnings.map(Advice.line)
    }

    var lines: [String] {
        guard !versions.isEmpty || fileCount > 0 || compaction.segmentCount > 0 else {
            return ["nothing to prune"] + keptDownloads
        }
        let compacted =
            "\(Quantity.text(compaction.segmentCount, "segment")), \(ByteCount.text(compaction.byteCount)) freed"
        return versions.map(\.line)
            + (fileCount > 0 ? ["deleted \(Quantity.text(fileCount, "file")), \(ByteCount.text(byteCount)) freed"] : [])
            + (compaction.segmentCount > 0 ? ["compacted \(compacted)"] : []) + keptDownloads
    }

    private var keptDownloads: [String] {
        guard keptDownloadCount > 0 else { return [] }
        let downloads = Quantity.text(keptDownloadCount, "download")
        return ["kept \(downloads), \(ByteCount.text(keptDownloadByteCount)), to be resumed"]
    }
}
