/// What pruning has removed, as JSON documents have it. A value type; safe to share between threads.
package struct PruningReport: Encodable, Sendable {
    /// What was done with segments that had unused contents.
    package struct Compaction: Encodable, Sendable {
        /// The number of segments, and the bytes that were freed.
        package let segmentCount: Int, byteCount: Int64
    }

    /// The versions that were removed.
    package let versions: [RemovedRelease]
    /// The number of files that were deleted, and their size in bytes.
    package let fileCount: Int, byteCount: Int64
    /// What was done with segments that had unused contents.
    package let compaction: Compaction
    /// The number of downloads that are kept so that they can be resumed, and their size in bytes.
    package let keptDownloadCount: Int, keptDownloadByteCount: Int64
    /// Why some of what is superfluous is still there.
    package let warnings: [String]

    /// - Parameter message: Words a notice.
    package init(_ report: BundleStore.PruneReport, message: (Notice) -> String) {
        versions = report.releases
        (fileCount, byteCount) = (report.fileCount, report.byteCount)
        compaction = Compaction(segmentCount: report.compaction.segmentCount, byteCount: report.compaction.byteCount)
        (keptDownloadCount, keptDownloadByteCount) = (report.keptDownloadCount, report.keptDownloadByteCount)
        warnings = report.warnings.map(message)
    }
}
