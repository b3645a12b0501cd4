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

    private let path: FilePath
    private let file: MappedFile
    private let pathKey: SipHash.Key
    private let pathBuckets: BucketTable
    private let digestBuckets: BucketTable
    private let entriesOffset: Int
    private let namesOffset: Int

    /// Checks the index's header and size, then maps it; the cost doesn't grow with the number of entries.
    ///
    /// - Throws: ``BundleError`` with code `storeDamaged` or `newerFormat`; `Errno` when the file can't be opened or read.
    init(_ identifier: FileIdentifier, in layout: StoreLayout) throws {
        self.identifier = identifier
        path = layout.index(identifier)
        file = try MappedFile(path, with: IndexFormat.fileHeader)
        let bytes = file.bytes
        guard let header = IndexHeader(bytes) else {
            throw BundleError(.storeDamaged, "\(path) has tables outside the file; reinstall the bundle")
        }
        count = header.entryCount
        entriesOffset = header.entriesOffset
        namesOffset = header.namesOffset
        pathKey = header.pathKey
        pathBuckets = BucketTable(offset: header.pathBucketsOffset, count: header.pathBucketCount)
        digestBuckets = BucketTable(offset: header.digestBucketsOffset, count: header.digestBucketCount)
        segments = header.segments(in: bytes)
        mediaTypes = header.mediaTypes(in: bytes)
    }

    /// The entry for exactly these bytes of UTF-8, or nil. Allocates nothing.
    func find(path: UnsafeRawBufferPointer) -> IndexEntry? {
        number(ofPath: path).map { self[$0] }
    }

    /// The number of the entry for exactly these bytes of UTF-8, or nil. Allocates nothing.
    func number(ofPath path: UnsafeRawBufferPointer) -> Int? {
        pathBuckets.first(of: SipHash.hash(path, pathKey), in: file.bytes) { number in
            guard number < count else { return false }
            return name(at: IndexEntry.path(file.bytes, at: offset(ofEntry: number)))?.hasSameBytes(as: path) == true
        }
    }

    /// An entry with this content, or nil.
    func find(digest: Digest) -> IndexEntry? {
        let number = digestBuckets.first(of: IndexFormat.hash(of: digest), in: file.bytes) { number in
            number < count && self[number].digest == digest
        }
        return number.map { self[$0] }
    }

    /// The entry with this number in the order of paths, or nil when there is none.
    func entry(_ number: Int) -> IndexEntry? {
        number >= 0 && number < count ? self[number] : nil
    }

    /// The entry with this number, which must be one of this index.
    subscript(number: Int) -> IndexEntry {
        precondition(number >= 0 && number < count)
        let start = offset(ofEntry: number)
        let bytes = UnsafeRawBufferPointer(rebasing: file.bytes[start..<start + IndexFormat.entryByteCount])
        return IndexEntry(bytes, number: number)
    }

    /// The bytes of an entry's path, or nil when they lie outside the file. Valid while the index lives.
    func name(of entry: IndexEntry) -> UnsafeRawBufferPointer? { name(at: entry.path) }

    private func name(at path: Range<Int>) -> UnsafeRawBufferPointer? {
        let range = namesOffset + path.lowerBound..<namesOffset + path.upperBound
        guard range.upperBound <= file.bytes.count else { return nil }
        return UnsafeRawBufferPointer(rebasing: file.bytes[range])
    }

    private func offset(ofEntry number: Int) -> Int { entriesOffset + number * IndexFormat.entryByteCount }

    /// The size of the file in bytes.
    var byteCount: Int { file.bytes.count }

    /// Gives back the memory that looking at entries took.
    func dropResidentPages() { file.dropResidentPages() }

    /// Whether the file hashes to what its header says. Reads the whole file, and not through the mapping: where the disk
    /// fails, reading a mapping would end the process.
    func isIntact() -> Bool {
        (try? FileDescriptor.open(path, .readOnly, options: .closeOnExec)).map { descriptor in
            (try? descriptor.closeAfter { try isIntact(descriptor) }) ?? false
        } ?? false
    }

    private func isIntact(_ descriptor: FileDescriptor) throws -> Bool {
        let header = try descriptor.bytes(in: 0..<IndexFormat.digestedOffset)
        let rest = try Digest(of: descriptor, in: IndexFormat.digestedOffset..<file.bytes.count)
        let digest = IndexFormat.digest(fields: header[..<IndexFormat.digestOffset], rest: rest)
        return digest.withUnsafeBytes { $0.elementsEqual(header[IndexFormat.digestOffset...]) }
    }

    /// What ``Release/contentDigest`` must be for this manifest.
    ///
    /// - Throws: `Errno` when the file can't be read any more.
    func contentDigest(with manifest: [UInt8]) throws -> Digest {
        var digester = ReleaseDigester(manifest: manifest)
        try forEachEntry { entry in
            let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
            digester.add(path: name(of: entry) ?? nothing, entry.digest)
        }
        return digester.digest()
    }

    /// Calls `body` for the content of each entry, in the order of the paths, as ``forEachEntry(_:)`` does.
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

    /// Calls `body` for each entry, in the order of the paths. Reads the file and not the mapping, so that going through a
    /// large index doesn't make all of it resident.
    ///
    /// - Throws: What `body` throws; `Errno` when the file can't be read any more.
    func forEachEntry(_ body: (IndexEntry) throws -> Void) throws {
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
