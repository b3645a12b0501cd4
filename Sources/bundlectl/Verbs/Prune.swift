import ArgumentParser
import BundleStore

struct Prune: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Remove old versions and free their space.",
        discussion: """
            For each bundle the active version and the pinned ones stay, as many earlier versions as --keep says, and \
            as many that were never activated. A server can still read the files that it has open. If more than half \
            of a segment is unused, the rest is copied and the segment deleted; while the store exceeds its quota, \
            other segments too.

            Example:
              bundlectl prune --keep 0
            """
    )

    @OptionGroup var retention: RetentionOptions

    @Flag(help: "Wait for another process that works on the store.")
    var wait = false

    @OptionGroup var dryRun: DryRunOptions

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await dryRun.using(store) {
            try store.open()
        } _: { store in
            let report = try output.console.showingProgress("pruning") { bar in
                try store.prune(keeping: retention.keep, waits: wait) { bar.update($0) }
            }
            let summary = PruningReport(report, message: Advice.line)
            output.console.warn(summary.warnings)
            try dryRun.report(summary, to: output.console)
        }
    }
}

/// The result of `prune`.
extension PruningReport: Report {
    var lines: [String] {
        guard !versions.isEmpty || fileCount > 0 || compaction.segmentCount > 0 else {
            return ["nothing to prune"] + keptDownloads
        }
        let compacted =
            "\(Quantity.text(compaction.segmentCount, "segment")), \(ByteCount.text(compaction.byteCount)) freed"
        return versions.map { RemovedVersion($0).line }
            + (fileCount > 0 ? ["deleted \(Quantity.text(fileCount, "file")), \(ByteCount.text(byteCount)) freed"] : [])
            + (compaction.segmentCount > 0 ? ["compacted \(compacted)"] : []) + keptDownloads
    }

    private var keptDownloads: [String] {
        guard keptDownloadCount > 0 else { return [] }
        let downloads = Quantity.text(keptDownloadCount, "download")
        return ["kept \(downloads), \(ByteCount.text(keptDownloadByteCount)), to be resumed"]
    }
}
