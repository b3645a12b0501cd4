import BundleArchive
import BundleStore

/// A release that is put together file by file, from a patch or from single files of an archive.
///
/// Not thread-safe. If it is released unfinished, what it wrote is removed.
struct ReleaseAssembly: ~Copyable {
    let ingest: ReleaseIngest
    private let limits: ArchiveLimits

    init(in store: BundleStore, limits: ArchiveLimits) throws {
        ingest = try store.beginIngest()
        self.limits = limits
    }

    /// Ends the assembly: checks the names against each other, and the files against what was advertised.
    ///
    /// - Parameters:
    ///   - expected: The digest of the files, see ``/BundleStore/Release/filesDigest()``.
    ///   - source: Where the files came from, in errors.
    ///   - options: As for an installation.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidFeed` when the files aren't the expected ones, otherwise
    ///   as ``Installer/install(archive:options:progress:)``.
    consuming func finish(
        expecting expected: Digest,
        from source: String,
        options: InstallOptions
    ) throws -> ArchiveCandidate {
        let limits = limits
        let release = try ingest.seal(
            maximumFileCount: limits.maximumEntryCount,
            maximumByteCount: UInt64(clamping: limits.maximumTotalByteCount)
        )
        guard try release.filesDigest() == expected else {
            throw BundleError(
                .invalidFeed,
                "\(source): doesn't lead to the files that the feed announces; nothing was installed; publish it again"
            )
        }
        // One byte over the limit, so that the parser can report that it is too long.
        let manifest = try release.content(
            of: BundlePath(BundleManifest.fileName),
            atMost: BundleManifest.maximumByteCount + 1
        )
        return try ArchiveCandidate(release, manifest: manifest, from: source, options: options)
    }
}
