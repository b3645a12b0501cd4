import Synchronization
import SystemPackage

/// The immutable, memory-mapped table of one version: path → location of the content.
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
    /// Whether the entries say which names have a hash in them.
    let marksNames: Bool

    private let path: FilePath
    private let checked = Atomic<UInt64>(0)
    /// Nil for an index that can't be opened.
    private let file: MappedFile?
    private let pathKey: SipHash.Key
    private let pathBuckets: BucketTable
    private let digestBuckets: BucketTable
    private let entriesOffset: Int
    private let namesOffset: Int

    /// Checks the index's header and size, then maps it; the cost doesn't depend on the number of entries.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeDamaged` or `newerFormat`; `Errno` when the file can't be
    ///   opened or read.
    init(_ identifier: FileIdentifier, in layout: StoreLayout) throws {
        self.identifier = identifier
        path = layout.index(identifier)
        let file = try MappedFile(path, with: IndexFormat.fileHeader)
        self.file = file
        let bytes = file.bytes
        guard let header = IndexHeader(bytes) else {
            throw BundleError(.storeDamaged, "\(path) has tables outside the file")
        }
        count = header.entryCount
        marksNames = header.marksNames
        entriesOffset = header.entriesOffset
        namesOffset = header.namesOffset
        pathKey = header.pathKey
        pathBuckets = BucketTable(offset: header.pathBucketsOffset, count: header.pathBucketCount)
        digestBuckets = BucketTable(offset: header.digestBucketsOffset, count: header.digestBucketCount)
        segments = header.segments(in: bytes)
        mediaTypes = header.mediaTypes(in: bytes)
    }

    /// A substitute for an index that can't be opened; it has no entries.
    init(unreadable identifier: FileIdentifier, in layout: StoreLayout) {
        self.identifier = identifier
        path = layout.index(identifier)
        file = nil
        (count, entriesOffset, namesOffset) = (0, 0, 0)
        pathKey = SipHash.Key(low: 0, high: 0)
        pathBuckets = BucketTable(offset: 0, count: 0)
        digestBuckets = BucketTable(offset: 0, count: 0)
        (segments, mediaTypes, marksNames) = ([], [], true)
    }

    /// Whether a read through the mapping has failed: then no look-up result can be trusted.
    var hasFaulted: Bool { file?.hasFaulted ?? false }

    /// Whether the file may have changed since it was opened.
    var hasChanged: Bool { file?.hasChanged ?? false }

    /// Whether the whole file matches its digest; nil until ``check()`` was called.
    var verdict: ContentChecks.Verdict? { ContentChecks.Verdict(rawValue: checked.load(ordering: .relaxed)) }

    /// Reads the whole file unless it was read before.
    ///
    /// - Returns: Whether it matches its digest.
    func check() -> Bool {
        if let verdict { return verdict == .intact }
        let isIntact = isIntact()
        checked.store((isIntact ? ContentChecks.Verdict.intact : .damaged).rawValue, ordering: .relaxed)
        return isIntact
    }

    /// Whether the index could be opened.
    var isReadable: Bool { file != nil }

    private var bytes: UnsafeRawBufferPointer { file?.bytes ?? UnsafeRawBufferPointer(start: nil, count: 0) }

    /// The entry for exactly these bytes of UTF-8, or nil. Allocates nothing.
    func find(path: UnsafeRawBufferPointer) -> IndexEntry? {
        number(ofPath: path).map { self[$0] }
    }

    /// The number of the entry for exactly these bytes of UTF-8, or nil. Allocates nothing.
    func number(ofPath path: UnsafeRawBufferPointer) -> Int? {
        pathBuckets.first(of: SipHash.hash(path, pathKey), in: bytes) { number in
            guard number < count else { return false }
            return name(at: IndexEntry.path(bytes, at: offset(ofEntry: number)))?.hasSameBytes(as: path) == true
        }
    }

    /// An entry with this content, or nil.
    func find(digest: Digest) -> IndexEntry? {
        let number = digestBuckets.first(of: IndexFormat.hash(of: digest), in: bytes) { number in
            number < count && self[number].digest == digest
        }
        return number.map { self[$0] }
    }

    /// The entry with this number in path order, or nil when there is none.
    func entry(_ number: Int) -> IndexEntry? {
        number >= 0 && number < count ? self[number] : nil
    }

    /// The entry with this number, which must be one of this index.
    subscript(number: Int) -> IndexEntry {
        precondition(number >= 0 && number < count)
        let start = offset(ofEntry: number)
        let entry = UnsafeRawBufferPointer(rebasing: bytes[start..<start + IndexFormat.entryByteCount])
        return IndexEntry(entry, number: number)
    }

    /// The bytes of an entry's path, or nil when they lie outside the file. Valid while the index lives.
    func name(of entry: IndexEntry) -> UnsafeRawBufferPointer? { name(at: entry.path) }

    private func name(at path: Range<Int>) -> UnsafeRawBufferPointer? {
        let range = namesOffset + path.lowerBound..<namesOffset + path.upperBound
        guard range.upperBound <= bytes.count else { return nil }
        return UnsafeRawBufferPointer(rebasing: bytes[range])
    }

    private func offset(ofEntry number: Int) -> Int { entriesOffset + number * IndexFormat.entryByteCount }

    /// The size of the file in bytes.
    var byteCount: Int { bytes.count }

    /// Releases the memory made resident by reading entries.
    func dropResidentPages() { file?.dropResidentPages() }

    /// Whether the file hashes to the digest in its header. Reads the whole file instead of the mapping: when the disk
    /// fails, reading a mapping would end the process.
    func isIntact() -> Bool {
        guard isReadable else { return false }
        return (try? FileDescriptor.open(path, .readOnly, options: .closeOnExec)).map { descriptor in
            (try? descriptor.closeAfter { try isIntact(descriptor) }) ?? false
        } ?? false
    }

    private func isIntact(_ descriptor: FileDescriptor) throws -> Bool {
        let header = try descriptor.bytes(in: 0..<IndexFormat.digestedOffset)
        let rest = try Digest(of: descriptor, in: IndexFormat.digestedOffset..<bytes.count)
        let digest = IndexFormat.digest(fields: header[..<IndexFormat.digestOffset], rest: rest)
        return digest.withUnsafeBytes { $0.elementsEqual(header[IndexFormat.digestOffset...]) }
    }

    /// What ``Release/contentDigest`` must be for this manifest.
    ///
    /// - Throws: `Errno` when the file can no longer be read.
    func contentDigest(with manifest: [UInt8]) throws -> Digest {
        var digester = ReleaseDigester(manifest: manifest)
        try forEachEntry { entry in
            let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
            digester.add(path: name(of: entry) ?? nothing, entry.digest)
        }
        return digester.digest()
    }

    /// Calls `body` for the content of each entry, in path order, as ``forEachEntry(_:)`` does.
    func forEachContent(_ body: (Digest, ContentLocation) throws -> Void) throws {
        try forEachEntry { entry in
            guard segments.indices.contains(entry.segment) else { return }
            let location = ContentLocation(
                segment: segments[entry.segment],
                offset: entry.offset,
                byteCount: entry.byteCount
            )
            try body(entry.digest, location)
        }
    }

    /// Calls `body` for each entry, in path order. Reads the file instead of the mapping, so that iterating a large
    /// index doesn't make all of it resident.
    ///
    /// - Throws: What `body` throws; `Errno` when the file can no longer be read.
    func forEachEntry(_ body: (IndexEntry) throws -> Void) throws {
        guard isReadable else { return }
        let descriptor = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
        var number = 0
        try descriptor.closeAfter {
            let end = entriesOffset + count * IndexFormat.entryByteCount
            try descriptor.readPieces(of: entriesOffset..<end, by: 1_024 * IndexFormat.entryByteCount) { piece in
                for start in stride(from: 0, to: piece.count, by: IndexFormat.entryByteCount) {
                    let bytes = UnsafeRawBufferPointer(rebasing: piece[start..<start + IndexFormat.entryByteCount])
                    try body(IndexEntry(bytes, number: number))
                    number += 1
                }
            }
        }
    }
}

/// One file of a release, as its version index describes it.
struct IndexEntry: Sendable {
    /// Its position in path order, from 0.
    let number: Int
    let path: Range<Int>
    let mediaType: Int
    let segment: Int
    let offset: UInt64
    let byteCount: UInt64
    let digest: Digest
    private let encodedMark: UInt32

    /// Reads an entry from ``IndexFormat/entryByteCount`` bytes.
    init(_ bytes: UnsafeRawBufferPointer, number: Int) {
        precondition(bytes.count == IndexFormat.entryByteCount)
        self.number = number
        path = Self.path(bytes, at: 0)
        mediaType = Int(bytes.littleEndian(at: 6, as: UInt16.self))
        segment = Int(bytes.littleEndian(at: 8, as: UInt32.self))
        encodedMark = bytes.littleEndian(at: 12)
        offset = bytes.littleEndian(at: 16)
        byteCount = bytes.littleEndian(at: 24)
        digest = Digest(unchecked: UnsafeRawBufferPointer(rebasing: bytes[32..<64]))
    }

    /// What the index says of the name; nothing that counts in an index that doesn't mark names.
    var mark: NameMark { NameMark(encodedMark, pathByteCount: path.count) }

    /// The range of the path among the names, for the entry that begins at `offset`: all that a look-up needs of most
    /// entries.
    static func path(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Range<Int> {
        let start = Int(bytes.littleEndian(at: offset, as: UInt32.self))
        return start..<start + Int(bytes.littleEndian(at: offset + 4, as: UInt16.self))
    }
}

/// Computes ``Release/contentDigest``: SHA-256 over the manifest and then, in path order, each file's path, a zero
/// byte, and the digest of its content.
struct ReleaseDigester {
    private static let separator: [UInt8] = [0]

    private var hasher = BufferedHasher()

    /// - Parameter manifest: The manifest as stored in the catalog.
    init(manifest: [UInt8]) {
        manifest.withUnsafeBytes { hasher.update($0) }
    }

    /// Adds the next file.
    mutating func add(path: UnsafeRawBufferPointer, _ content: Digest) {
        hasher.update(path)
        Self.separator.withUnsafeBytes { hasher.update($0) }
        content.withUnsafeBytes { hasher.update($0) }
    }

    /// The digest of everything added.
    mutating func digest() -> Digest { hasher.digest() }
}
