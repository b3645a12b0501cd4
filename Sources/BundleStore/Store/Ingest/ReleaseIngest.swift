/// A release that is being written to the store: contents are written as they arrive, and nothing refers to them until
/// what ``seal(maximumFileCount:maximumByteCount:checkpoint:)`` returns is committed. Sealing ends the ingest: nothing can
/// be added to it any more.
///
/// Takes the same memory for ten files as for a million, apart from some 20 bytes per file: the records of the files go
/// to temporary files in the store. Not thread-safe. If it is released without a commit, what it wrote is removed.
public struct ReleaseIngest: ~Copyable {
    /// What a link's target is relative to.
    package enum LinkKind: Sendable {
        /// The folder that contains the link.
        case symbolic
        /// The root of the archive.
        case hard
    }

    private let files: IngestedFiles

    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the store can't be written.
    init(_ store: BundleStore) throws {
        files = try IngestedFiles(store)
    }

    /// The number of content bytes that the store didn't have before.
    package var newByteCount: UInt64 { files.writer.newByteCount }

    /// Appends bytes to the content of the current file.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when they can't be written.
    public func append(_ bytes: UnsafeRawBufferPointer) throws {
        try StoreAccess.run(at: files.store.path) { try files.writer.append(bytes) }
    }

    /// Ends the current file and gives it a path; the next ``append(_:)`` starts another.
    ///
    /// - Returns: The digest of the file's content.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable`.
    @discardableResult
    public func endFile(_ path: BundlePath) throws -> Digest {
        try StoreAccess.run(at: files.store.path) {
            let (digest, location) = try files.writer.endContent()
            try files.addFile(path, digest, location)
            return digest
        }
    }

    /// Runs `body`. Within it the contents passed to ``add(_:_:digest:)`` aren't copied: their bytes must stay
    /// unchanged until `body` returns.
    ///
    /// - Throws: What `body` throws; ``/BundleModel/BundleError`` with code `storeUnavailable` when a write fails.
    package func withoutCopying(_ body: () throws -> Void) throws {
        try StoreAccess.run(at: files.store.path) { try files.writer.lending(body) }
    }

    /// Adds a file whose content is in memory.
    ///
    /// - Parameters:
    ///   - path: The file's path in the bundle.
    ///   - content: The file's bytes.
    ///   - digest: The digest of `content`, computed by the caller; it isn't checked.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when it can't be written.
    package func add(_ path: BundlePath, _ content: UnsafeRawBufferPointer, digest: Digest) throws {
        try StoreAccess.run(at: files.store.path) {
            try files.addFile(path, digest, files.writer.add(content, digest))
        }
    }

    /// Adds a file whose content the store has already, in any bundle and version. The content is read and hashed: what
    /// the store recorded of it earlier doesn't count.
    ///
    /// - Parameters:
    ///   - path: The file's path in the bundle.
    ///   - digest: The digest of the content.
    /// - Returns: False, with nothing added, when the store lacks the content, or what it has is damaged.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the file can't be recorded.
    package func addStored(_ path: BundlePath, digest: Digest) throws -> Bool {
        try StoreAccess.run(at: files.store.path) {
            guard let location = try files.writer.location(ofStored: digest) else { return false }
            try files.addFile(path, digest, location)
            return true
        }
    }

    /// Adds a folder that the archive lists: no file may have its path.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when it can't be written.
    package func addFolder(_ path: BundlePath) throws {
        try StoreAccess.run(at: files.store.path) { try files.addFolder(path) }
    }

    /// Adds a link, which ``seal(maximumFileCount:maximumByteCount:checkpoint:)`` replaces with the files that it
    /// stands for.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArchive` for more than 30,000 links, or more than 4 MB
    ///   of link names and targets; `storeUnavailable`.
    package func addLink(_ path: BundlePath, to target: String, _ kind: LinkKind) throws {
        try files.addLink(path, to: target, kind)
    }

    /// Ends the ingest: checks the names against each other, and replaces each link with the file that it leads to, or
    /// with all the files below the folder.
    ///
    /// - Parameters:
    ///   - maximumFileCount: The maximum number of files, including those that links stand for.
    ///   - maximumByteCount: The maximum sum of their lengths in bytes.
    ///   - checkpoint: Called repeatedly; ends the call by throwing.
    /// - Returns: What may be committed.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArchive` when a path occurs twice, is both a file and a
    ///   folder, or differs from another only in case (files and folders), and for a link that leaves the bundle,
    ///   dangles, loops, or stands for more than the limits allow; `storeUnavailable`; what `checkpoint` throws.
    public consuming func seal(
        maximumFileCount: Int = .max,
        maximumByteCount: UInt64 = .max,
        checkpoint: () throws -> Void = {}
    ) throws -> SealedRelease {
        let files = files
        return try StoreAccess.run(at: files.store.path) {
            files.writer.endDeduplication()
            try files.checkNames(checkpoint)
            try files.expandLinks(maximumFileCount, maximumByteCount, checkpoint)
            return SealedRelease(files)
        }
    }
}

extension BundleStore {
    /// Begins to ingest a release. Waits while the store is being pruned.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the store can't be written.
    public func beginIngest() throws -> ReleaseIngest {
        try StoreAccess.run(at: path) { try ReleaseIngest(self) }
    }
}

/// What an ingest has written so far: contents in a segment, and the records of the files in temporary files. If it is
/// released before the segment is finished, nothing of it is left.
///
/// Not thread-safe.
final class IngestedFiles {
    let store: BundleStore
    // Held, so that contents shared with them stay readable when the releases are removed meanwhile.
    let known: [Release]
    let writer: DeduplicatingWriter
    private let storeLock: FileLock
    private let records: RecordSorter
    private var links = LinkTable()
    private var segments = NumberedSet<FileIdentifier>()
    /// The folder that contains every file so far, with its slash; empty when there is no such folder, nil before the
    /// first file.
    private(set) var topFolder: [UInt8]?

    /// The number of files so far.
    private(set) var fileCount = 0
    /// The sum of the files' lengths in bytes so far.
    private(set) var byteCount: UInt64 = 0

    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the store can't be written.
    init(_ store: BundleStore) throws {
        self.store = store
        storeLock = try StoreLock.share(store.layout)
        try store.refresh()
        known = store.snapshot.releases
        records = RecordSorter(in: store.layout)
        writer = try DeduplicatingWriter(in: store.layout, known: known)
    }

    deinit {
        writer.discard()
    }

    func addFile(_ path: BundlePath, _ digest: Digest, _ location: ContentLocation) throws {
        let content = IngestContent(
            digest: digest,
            segment: UInt32(truncatingIfNeeded: segments.number(of: location.segment)),
            offset: location.offset,
            byteCount: location.byteCount
        )
        try record(.file, path.string, content)
        fileCount += 1
        byteCount += location.byteCount
        narrowTopFolder(to: path)
    }

    func addFolder(_ path: BundlePath) throws { try record(.folder, path.string + "/", .none) }

    func addLink(_ path: BundlePath, to target: String, _ kind: ReleaseIngest.LinkKind) throws {
        try links.add(path, to: target, kind == .symbolic ? .symbolic : .hard)
        try StoreAccess.run(at: store.path) { try record(.link, path.string, .none) }
        narrowTopFolder(to: path)
    }

    /// Throws when two names conflict.
    func checkNames(_ checkpoint: () throws -> Void) throws {
        if let conflict = try NameCheck().conflict(in: records, checkpoint) {
            throw BundleError(.invalidArchive, conflict.message)
        }
    }

    /// Replaces each link with the files that it stands for.
    func expandLinks(_ maximumFileCount: Int, _ maximumByteCount: UInt64, _ checkpoint: () throws -> Void) throws {
        guard !links.links.isEmpty else { return }
        let budget = LinkExpansion.Budget(
            fileCount: max(maximumFileCount - fileCount, 0),
            byteCount: maximumByteCount > byteCount ? maximumByteCount - byteCount : 0
        )
        let used = try LinkExpansion(of: links, checkpoint)
            .add(to: records, in: store.layout, within: budget, checkpoint)
        fileCount += used.fileCount
        byteCount += used.byteCount
        links = LinkTable()
    }

    /// Calls `body` for each file in the order of the paths' bytes, with a path that is valid only during the call.
    func forEach(_ body: (_ path: UnsafeRawBufferPointer, IngestContent) throws -> Void) throws {
        try records.forEach { record in
            guard record.kind == .file else { return }
            try body(UnsafeRawBufferPointer(rebasing: record.key[...]), record.content)
        }
    }

    /// The segments that hold contents, by their numbers.
    var segmentIdentifiers: [FileIdentifier] { segments.elements }

    /// Where a content is.
    func location(of content: IngestContent) -> ContentLocation {
        ContentLocation(
            segment: segments.elements[Int(content.segment)],
            offset: content.offset,
            byteCount: content.byteCount
        )
    }

    private func record(_ kind: IngestRecord.Kind, _ key: String, _ content: IngestContent) throws {
        var key = key
        try key.withUTF8 { try records.append(kind, UnsafeRawBufferPointer($0), content) }
    }

    private func narrowTopFolder(to path: BundlePath) {
        let bytes = path.string.utf8
        if let topFolder {
            if !bytes.starts(with: topFolder) { self.topFolder = [] }
        } else {
            topFolder = bytes.firstIndex(of: UInt8(ascii: "/")).map { Array(bytes[...$0]) } ?? []
        }
    }
}
