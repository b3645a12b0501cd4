import BundleArchive
import BundleStore

extension Installer {
    /// Installs a release of files that the store has, and files whose compressed bytes were fetched.
    ///
    /// Each file's content is hashed, that of the store too, and compared with the list before anything is committed.
    ///
    /// - Parameters:
    ///   - list: The release's files.
    ///   - fetched: The file that holds the compressed bytes of those that the store lacks.
    ///   - name: The archive's URL in errors.
    ///   - extents: Where the bytes of a content are in that file.
    ///   - filesDigest: The digest that the feed announces for the files.
    ///   - options: As for ``install(archive:options:progress:)``.
    ///   - progress: Called now and then with the bytes of the files that are done.
    /// - Throws: As ``install(archive:options:progress:)``; `invalidFeed` when a file isn't the listed one,
    ///   `storeDamaged` when one that the store had is damaged.
    package func install(
        _ list: ContentList,
        from fetched: String,
        named name: String,
        extents: [Digest: CompressedExtent],
        expecting filesDigest: Digest,
        options: InstallOptions,
        progress: (ByteProgress) -> Void = { _ in }
    ) throws -> InstallReport {
        let assembly = try ReleaseAssembly(in: store, limits: options.limits)
        do throws(any Error) {
            let contents = try FetchedContents(path: fetched, extents: extents, limits: options.limits)
            let total = list.files.reduce(0) { $0 + $1.byteCount }
            var done: Int64 = 0
            for file in list.files {
                try Task.checkCancellation()
                if try !contents.add(file, to: assembly) {
                    guard try assembly.ingest.addStored(file.path, digest: file.digest) else {
                        throw Self.damaged(file)
                    }
                }
                done += file.byteCount
                progress(ByteProgress(done: done, total: total))
            }
        } catch let error as ArchiveError {
            throw BundleError(.invalidFeed, error.problem, error.remedy, cause: error)
        }
        return try assembly.finish(expecting: filesDigest, from: name, options: options)
            .commit(to: store, options: options)
    }

    private static func damaged(_ file: ContentList.File) -> BundleError {
        BundleError(
            .storeDamaged,
            "the store's copy of \(Printable.line(file.path.string)) is damaged or was removed",
            .repair(.content)
        )
    }
}

/// The contents whose compressed bytes were fetched, decoded one at a time.
///
/// Not thread-safe.
final class FetchedContents {
    private static let pieceByteCount = 1 << 18

    private let file: CompressedFile
    private let extents: [Digest: CompressedExtent]
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceByteCount, alignment: 16)

    /// - Throws: `ArchiveError` when the file can't be opened.
    init(path: String, extents: [Digest: CompressedExtent], limits: ArchiveLimits) throws(ArchiveError) {
        file = try CompressedFile(path: path, limits: limits)
        self.extents = extents
    }

    deinit {
        buffer.deallocate()
    }

    /// Decodes a file's content and adds it to a release.
    ///
    /// - Returns: False when its bytes weren't fetched.
    /// - Throws: `ArchiveError` when they can't be decoded; ``/BundleModel/BundleError`` with code `invalidFeed` when
    ///   they aren't the listed content.
    func add(_ listed: ContentList.File, to assembly: borrowing ReleaseAssembly) throws -> Bool {
        guard let extent = extents[listed.digest] else { return false }
        try file.decode(extent, byteCount: listed.byteCount, named: listed.path.string, by: buffer) { piece in
            try assembly.ingest.append(piece)
        }
        guard try assembly.ingest.endFile(listed.path) == listed.digest else {
            throw BundleError(
                .invalidFeed,
                "\(Printable.line(listed.path.string)) doesn't have the digest that its content list says; publish it again"
            )
        }
        return true
    }
}

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
