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
            .commit(to: store, options: options, mediaType: mediaType)
    }

    private static func damaged(_ file: ContentList.File) -> BundleError {
        BundleError(
            .storeDamaged,
            "the store's copy of \(Printable.line(file.path.string)) is damaged or was removed",
            .repair(.content)
        )
    }
}
