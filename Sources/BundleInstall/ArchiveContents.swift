import BundleArchive
import BundleStore
import Foundation

/// The files of an archive that has been read completely, and the manifest found among them.
struct ArchiveContents: ~Copyable {
    let release: SealedRelease
    let manifest: [UInt8]?
    /// The number of files that were read and left out because they are macOS metadata.
    let leftOutCount: Int

    /// Reads the archive at `path` completely, and checks its names against each other.
    ///
    /// - Throws: `ArchiveError`, ``/BundleModel/BundleError``, or `CancellationError`.
    init(
        reading path: String,
        _ formats: ArchiveFormats,
        options: InstallOptions,
        store: BundleStore,
        _ progress: (ByteProgress) -> Void
    ) throws {
        let reader = try ArchiveReader(path, formats, options)
        let consumer = EntryConsumer(try store.beginIngest())
        var release = try Self.readAll(reader, at: options.sourceName ?? path, consumer, options.limits, progress)
        manifest = try consumer.takeManifest(from: &release)
        leftOutCount = consumer.leftOutCount
        self.release = release
    }

    private static func readAll(
        _ reader: ArchiveReader,
        at path: String,
        _ consumer: EntryConsumer,
        _ limits: ArchiveLimits,
        _ progress: (ByteProgress) -> Void
    ) throws -> SealedRelease {
        var stepCount = 0
        do {
            try EntryPipeline(EntryCollector(reader), consumer).run { bytesRead in
                progress(ByteProgress(done: bytesRead, total: reader.archiveByteCount))
            }
            return try consumer.seal(limits) { try checkTime(of: reader, &stepCount) }
        } catch let error as BundleError where error.code == .invalidArchive {
            // Errors from the rules name the entry but not the archive.
            throw BundleError(
                .invalidArchive,
                "\(path): \(error.problem); nothing was installed",
                error.remedy,
                cause: error
            )
        }
    }

    /// Checks the time limit now and then.
    private static func checkTime(of reader: ArchiveReader, _ stepCount: inout Int) throws(ArchiveError) {
        if stepCount.isMultiple(of: 1_024) { try reader.checkTime() }
        stepCount += 1
    }
}
