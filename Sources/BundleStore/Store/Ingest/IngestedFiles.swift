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
        try BundleStore.accessing(store.path) { try record(.link, path.string, .none) }
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
