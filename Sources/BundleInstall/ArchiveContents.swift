import BundleArchive
import BundleStore
import Foundation

/// The files of an archive during ingest, and the manifest found among them.
struct ArchiveContents {
    let ingest: ReleaseIngest
    let manifest: [UInt8]?
    /// The number of files that were read and left out because they are macOS metadata.
    let leftOutCount: Int

    /// Reads the archive at `path` completely, and checks its names against each other.
    ///
    /// - Throws: `ArchiveError`, ``/BundleModel/BundleError``, or `CancellationError`.
    init(reading path: String, options: InstallOptions, store: BundleStore, _ progress: (Int64) -> Void) throws {
        let reader = try ArchiveReader(path: path, limits: options.limits, charset: options.charset)
        ingest = try store.beginIngest()
        var stepCount = 0
        let consumer = EntryConsumer(ingest)
        let collector = EntryCollector(reader)
        do {
            try EntryPipeline(collector, consumer).run(progress)
            try ingest.seal(
                maximumFileCount: options.limits.maximumEntryCount,
                maximumByteCount: UInt64(clamping: options.limits.maximumTotalByteCount),
                checkpoint: { try Self.checkTime(of: reader, &stepCount) }
            )
        } catch let error as BundleError where error.code == .invalidArchive {
            // Errors from the rules name the entry but not the archive.
            throw BundleError(
                .invalidArchive,
                "\(path): \(error.problem); nothing was installed",
                error.remedy,
                cause: error
            )
        }
        manifest = try consumer.takeManifest()
        leftOutCount = consumer.leftOutCount
    }

    /// Checks the time limit now and then.
    private static func checkTime(of reader: ArchiveReader, _ stepCount: inout Int) throws(ArchiveError) {
        if stepCount.isMultiple(of: 1_024) { try reader.checkTime() }
        stepCount += 1
    }
}
