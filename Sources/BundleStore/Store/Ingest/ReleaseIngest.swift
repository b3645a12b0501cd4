import Foundation

/// A release that is being written to the store: contents are written as they arrive, and nothing refers to them until
/// ``commit(_:mediaType:activating:replacing:permittingOverlapWith:waits:givingUpPrevious:)``.
///
/// Takes the same memory for ten files as for a million, apart from some 20 bytes per file: the records of the files go
/// to temporary files in the store. Not thread-safe. If it is released without a commit, what it wrote is removed.
public final class ReleaseIngest {
    /// The result of a commit.
    public enum Outcome: Sendable, Equatable {
        /// The release is new in the store, or replaced one with different content.
        case installed
        /// The release was already installed and has been activated.
        case activated
        /// The release was already installed as requested; nothing has changed.
        case unchanged
    }

    /// What a link's target is relative to.
    public enum LinkKind: Sendable {
        /// The folder that contains the link.
        case symbolic
        /// The root of the archive.
        case hard
    }

    let store: BundleStore
    // Held, so that contents shared with them stay readable when the releases are removed meanwhile.
    let known: [Release]
    private let storeLock: FileLock
    private let records: RecordSorter
    private var links = LinkTable()
    let writer: DeduplicatingWriter
    private var segments = NumberedSet<FileIdentifier>()
    private var isSealed = false
    /// The folder that contains every file so far, with its slash; empty when there is no such folder, nil before the
    /// first file.
    private var topFolder: [UInt8]?
    private var strippedByteCount = 0

    /// The number of files so far. After sealing it includes the files that links stand for.
    public private(set) var fileCount = 0
    /// The sum of the files' lengths in bytes so far.
    public private(set) var byteCount: UInt64 = 0
    /// What the commit has removed because the quota had no room for it.
    public internal(set) var quotaRemoval = QuotaRemoval()

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

    /// The number of content bytes that the store didn't have before.
    public var newByteCount: UInt64 { writer.newByteCount }

    /// Appends bytes to the content of the current file.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when they can't be written.
    public func append(_ bytes: UnsafeRawBufferPointer) throws {
        try BundleStore.accessing(store.path) { try writer.append(bytes) }
    }

    /// Ends the current file and gives it a path; the next ``append(_:)`` starts another.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable`.
    public func endFile(_ path: BundlePath) throws {
        try BundleStore.accessing(store.path) {
            let (digest, location) = try writer.endContent()
            try addFile(path, digest, location)
        }
    }

    /// Runs `body`. Within it the contents passed to ``add(_:_:digest:)`` aren't copied: their bytes must stay
    /// unchanged until `body` returns.
    ///
    /// - Throws: What `body` throws; ``/BundleModel/BundleError`` with code `storeUnavailable` when a write fails.
    public func withoutCopying(_ body: () throws -> Void) throws {
        try BundleStore.accessing(store.path) { try writer.lending(body) }
    }

    /// Adds a file whose content is in memory.
    ///
    /// - Parameters:
    ///   - path: The file's path in the bundle.
    ///   - content: The file's bytes.
    ///   - digest: The digest of `content`, computed by the caller; it isn't checked.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when it can't be written.
    public func add(_ path: BundlePath, _ content: UnsafeRawBufferPointer, digest: Digest) throws {
        try BundleStore.accessing(store.path) { try addFile(path, digest, writer.add(content, digest)) }
    }

    /// Adds a folder that the archive lists: no file may have its path.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when it can't be written.
    public func addFolder(_ path: BundlePath) throws {
        try BundleStore.accessing(store.path) { try record(.folder, path.string + "/", .none) }
    }

    /// Adds a link, which ``seal(maximumFileCount:maximumByteCount:checkpoint:)`` replaces with the files that it
    /// stands for.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArchive` for more than 30,000 links, or more than 4 MB
    ///   of link names and targets; `storeUnavailable`.
    public func addLink(_ path: BundlePath, to target: String, _ kind: LinkKind) throws {
        try links.add(path, to: target, kind == .symbolic ? .symbolic : .hard)
        try BundleStore.accessing(store.path) { try record(.link, path.string, .none) }
        narrowTopFolder(to: path)
    }

    /// Ends the ingest: checks the names against each other, and replaces each link with the file that it leads to, or
    /// with all the files below the folder. Nothing can be added afterwards; a second call does nothing.
    ///
    /// - Parameters:
    ///   - maximumFileCount: The maximum number of files, including those that links stand for.
    ///   - maximumByteCount: The maximum sum of their lengths in bytes.
    ///   - checkpoint: Called repeatedly; ends the call by throwing.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArchive` when a path occurs twice, is both a file and a
    ///   folder, or differs from another only in case (files and folders), and for a link that leaves the bundle,
    ///   dangles, loops, or stands for more than the limits allow; `storeUnavailable`; what `checkpoint` throws.
    public func seal(
        maximumFileCount: Int = .max,
        maximumByteCount: UInt64 = .max,
        checkpoint: () throws -> Void = {}
    ) throws {
        guard !isSealed else { return }
        try BundleStore.accessing(store.path) {
            writer.endDeduplication()
            if let conflict = try NameCheck().conflict(in: records, checkpoint) {
                throw BundleError(.invalidArchive, conflict.message)
            }
            try expandLinks(maximumFileCount, maximumByteCount, checkpoint)
        }
        isSealed = true
    }

    /// Removes a folder that contains every file from all the paths. Call it after sealing.
    ///
    /// - Returns: False, with nothing changed, when a file lies outside the folder.
    public func stripFolder(_ folder: String) -> Bool {
        let prefix = Array((folder + "/").utf8)
        guard topFolder == prefix, isSealed else { return false }
        strippedByteCount = prefix.count
        return true
    }

    /// The members of `paths` that are files.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the ingested data can't be read.
    public func files(among paths: Set<BundlePath>) throws -> Set<BundlePath> {
        var found: Set<BundlePath> = []
        guard !paths.isEmpty else { return found }
        let byteCounts = Set(paths.map(\.string.utf8.count))
        try BundleStore.accessing(store.path) {
            try forEachFile { path, _ in
                guard byteCounts.contains(path.count) else { return }
                let path = BundlePath(valid: String(decoding: path, as: UTF8.self))
                if paths.contains(path) { found.insert(path) }
            }
        }
        return found
    }

    /// The content of the file at `path`, including one that a link stands for; nil when there is no such file. Call it
    /// after sealing.
    ///
    /// - Parameters:
    ///   - path: A file's path in the bundle.
    ///   - maximumByteCount: The maximum number of bytes to return.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the ingested data can't be read.
    public func content(of path: BundlePath, atMost maximumByteCount: Int) throws -> [UInt8]? {
        var path = path.string
        return try BundleStore.accessing(store.path) {
            var found: ContentLocation?
            try path.withUTF8 { wanted in
                try forEachFile { path, content in
                    if path.hasSameBytes(as: UnsafeRawBufferPointer(wanted)) { found = location(of: content) }
                }
            }
            return try found.map { try writer.read($0, atMost: maximumByteCount) }
        }
    }

    /// Calls `body` for each file in the order of the paths' bytes, with a path that is valid only during the call.
    func forEachFile(_ body: (_ path: UnsafeRawBufferPointer, IngestContent) throws -> Void) throws {
        try records.forEach { record in
            guard record.kind == .file else { return }
            try body(UnsafeRawBufferPointer(rebasing: record.key[strippedByteCount...]), record.content)
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

    private func addFile(_ path: BundlePath, _ digest: Digest, _ location: ContentLocation) throws {
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

    private func expandLinks(
        _ maximumFileCount: Int,
        _ maximumByteCount: UInt64,
        _ checkpoint: () throws -> Void
    ) throws {
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
}

extension BundleStore {
    /// Begins to ingest a release. Waits while the store is being pruned.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the store can't be written.
    public func beginIngest() throws -> ReleaseIngest {
        try Self.accessing(path) { try ReleaseIngest(self) }
    }
}
