import SystemPackage

/// The immutable, memory-mapped table of one version: path → where its content is.
///
/// Every number read from the file is checked against the file's size before it is followed, so a damaged file gives
/// misses, never a crash. Safe to share between threads.
final class VersionIndex: Sendable {
    let identifier: FileIdentifier
    /// The segments that the entries refer to, by number.
    let segments: [FileIdentifier]
    /// The media types that the entries refer to, by number.
    let mediaTypes: [String]
    /// The number of files.
    let count: Int

    private let file: MappedFile
    private let pathBuckets: BucketTable
    private let digestBuckets: BucketTable
    private let entriesOffset: Int
    private let namesOffset: Int

    /// Maps the index and checks its header; the cost doesn't grow with the number of entries.
    ///
    /// - Throws: ``BundleError`` with code `storeDamaged`; `Errno` when the file can't be opened.
    init(_ identifier: FileIdentifier, in layout: StoreLayout) throws {
        self.identifier = identifier
        let path = layout.index(identifier)
        file = try MappedFile(path)
        let bytes = file.bytes
        try StoreFileHeader(bytes, magic: IndexFormat.magic)
            .check(version: IndexFormat.version, headerByteCount: IndexFormat.headerByteCount, path: path)
        guard let header = IndexHeader(bytes) else {
            throw BundleError(.storeDamaged, "\(path) has tables outside the file; reinstall the bundle")
        }
        count = header.entryCount
        entriesOffset = header.entriesOffset
        namesOffset = header.namesOffset
        pathBuckets = BucketTable(offset: header.pathBucketsOffset, count: header.pathBucketCount)
        digestBuckets = BucketTable(offset: header.digestBucketsOffset, count: header.digestBucketCount)
        segments = header.segments(in: bytes)
        mediaTypes = header.mediaTypes(in: bytes)
    }

    /// The entry for exactly these bytes of UTF-8, or nil.
    func find(path: UnsafeRawBufferPointer) -> IndexEntry? {
        pathBuckets.first(of: IndexFormat.hash(ofPath: path), in: file.bytes) { number in
            guard let entry = self.entry(number), let name = self.name(of: entry) else { return nil }
            return name.elementsEqual(path) ? entry : nil
        }
    }

    /// An entry with this content, or nil.
    func find(digest: Digest) -> IndexEntry? {
        digestBuckets.first(of: IndexFormat.hash(of: digest), in: file.bytes) { number in
            guard let entry = self.entry(number) else { return nil }
            return entry.digest == digest ? entry : nil
        }
    }

    /// The entry with this number in the order of paths, or nil when there is none.
    func entry(_ number: Int) -> IndexEntry? {
        guard number >= 0, number < count else { return nil }
        let start = entriesOffset + number * IndexFormat.entryByteCount
        return IndexEntry(UnsafeRawBufferPointer(rebasing: file.bytes[start..<start + IndexFormat.entryByteCount]))
    }

    /// The bytes of an entry's path, or nil when they lie outside the file. Valid while the index lives.
    func name(of entry: IndexEntry) -> UnsafeRawBufferPointer? {
        let range = namesOffset + entry.path.lowerBound..<namesOffset + entry.path.upperBound
        guard range.upperBound <= file.bytes.count else { return nil }
        return UnsafeRawBufferPointer(rebasing: file.bytes[range])
    }

    /// Whether everything after the header hashes to what the header says. Reads the whole file.
    func isIntact() -> Bool {
        let stated = UnsafeRawBufferPointer(
            rebasing: file.bytes[IndexFormat.digestOffset..<IndexFormat.headerByteCount]
        )
        let body = UnsafeRawBufferPointer(rebasing: file.bytes[IndexFormat.headerByteCount...])
        return Digest(bytes: stated) == Digest(of: body)
    }
}
