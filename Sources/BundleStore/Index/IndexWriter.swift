import SystemPackage

/// Writes a version index, entry by entry in path order, and makes it durable. Takes 16 to 32 bytes of memory for each
/// entry, and none for its path.
///
/// Not thread-safe. If it is released unfinished, what it wrote is removed.
final class IndexWriter {
    private struct Tables {
        let paths: (offset: UInt64, count: Int)
        let digests: (offset: UInt64, count: Int)
        let segmentsOffset: UInt64
        let mediaTypesOffset: UInt64
        let namesOffset: UInt64
    }

    private static let maximumNameByteCount = 1 << 30
    /// How many bytes of paths are held in memory before they are spilled to a file.
    private static let namesInMemory = 1 << 20

    private let identifier: FileIdentifier
    private let layout: StoreLayout
    private let key: SipHash.Key
    private let marksNames: Bool
    private let file: BufferedFile
    private let names: SpillingBuffer
    private var hasher = BufferedHasher()
    private var segments = NumberedSet<FileIdentifier>()
    private var mediaTypes = NumberedSet<String>()
    private var pathBuckets: BucketTableBuilder
    private var count = 0
    private var previousPath: [UInt8] = []
    private var scratch: [UInt8] = []

    /// - Parameters:
    ///   - identifier: The name of the new index.
    ///   - entryCount: The maximum number of entries.
    ///   - marksNames: Whether the entries say which names have a hash in them.
    ///   - key: The key of the path hash.
    /// - Throws: `Errno` when the temporary file can't be made.
    init(
        _ identifier: FileIdentifier,
        entryCount: Int,
        marksNames: Bool = true,
        key: SipHash.Key = .random(),
        in layout: StoreLayout
    ) throws {
        self.identifier = identifier
        self.layout = layout
        self.key = key
        self.marksNames = marksNames
        pathBuckets = BucketTableBuilder(entryCount: entryCount, keepsRepeats: true)
        names = SpillingBuffer(spillingTo: layout.temporary(.random()), over: Self.namesInMemory)
        file = try BufferedFile(creating: layout.temporary(identifier))
        try file.append([UInt8](repeating: 0, count: IndexFormat.digestedOffset))
        scratch.appendLittleEndian(key.low)
        scratch.appendLittleEndian(key.high)
        try appendScratch()
    }

    deinit {
        try? file.close(syncing: false)
        try? Durable.remove(layout.temporary(identifier))
    }

    /// Adds the next file.
    ///
    /// - Parameters:
    ///   - path: The bytes of its path, which must sort after the path before.
    ///   - mediaType: Its media type.
    ///   - digest: The digest of its content.
    ///   - location: Where the content is.
    ///   - mark: What is known of its name.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeDamaged` when the paths aren't in order, `invalidArchive`
    ///   when the names or media types exceed the format's number ranges; `Errno` when the file can't be written.
    func add(
        path: UnsafeRawBufferPointer,
        mediaType: String,
        digest: Digest,
        location: ContentLocation,
        mark: NameMark
    ) throws {
        guard count == 0 || previousPath.withUnsafeBytes({ $0.precedes(path) }) else {
            throw BundleError(.storeDamaged, "the paths of a release aren't in order; reinstall the bundle")
        }
        previousPath.removeAll(keepingCapacity: true)
        previousPath.append(contentsOf: path)
        let nameOffset = names.byteCount
        try names.append(path)
        let type = mediaTypes.number(of: mediaType)
        let segment = segments.number(of: location.segment)
        try checkNumbers()
        try withUnsafeTemporaryAllocation(byteCount: IndexFormat.entryByteCount, alignment: 8) { entry in
            func store(_ value: some FixedWidthInteger & BitwiseCopyable, at offset: Int) {
                entry.storeBytes(of: value.littleEndian, toByteOffset: offset, as: Swift.type(of: value))
            }
            store(UInt32(truncatingIfNeeded: nameOffset), at: 0)
            store(UInt16(truncatingIfNeeded: path.count), at: 4)
            store(UInt16(truncatingIfNeeded: type), at: 6)
            store(UInt32(truncatingIfNeeded: segment), at: 8)
            store(mark.encoded, at: 12)
            store(location.offset, at: 16)
            store(location.byteCount, at: 24)
            digest.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: entry[32...]).copyMemory(from: $0) }
            try append(UnsafeRawBufferPointer(entry))
        }
        pathBuckets.insert(count, hash: SipHash.hash(path, key))
        count += 1
    }

    /// Writes the tables, then syncs and renames the file.
    ///
    /// - Returns: The segments that the index refers to.
    /// - Throws: `Errno` when the file can't be written.
    func finish() throws -> [FileIdentifier] {
        let tables = try appendTables()
        try appendNames()
        try file.overwriteStart(with: header(tables))
        try file.close(syncing: true)
        try Durable.publish(layout.temporary(identifier), as: layout.index(identifier), in: layout.indexes)
        return segments.elements
    }

    private func checkNumbers() throws(BundleError) {
        guard names.byteCount <= Self.maximumNameByteCount, mediaTypes.elements.count <= UInt16.max else {
            throw BundleError(
                .invalidArchive,
                "the paths of the archive come to over \(Self.maximumNameByteCount) bytes, or its files have over "
                    + "\(UInt16.max) media types; split it into several bundles"
            )
        }
    }

    /// Appends everything between the entries and the names.
    private func appendTables() throws -> Tables {
        let paths = try append(pathBuckets)
        // One table is released before the other is built, because each is large.
        pathBuckets = BucketTableBuilder(entryCount: 0, keepsRepeats: true)
        let digests = try append(digestBuckets())
        let segmentsOffset = file.position
        for segment in segments.elements {
            withUnsafeBytes(of: segment.value.bigEndian) { scratch.append(contentsOf: $0) }
        }
        try appendScratch()
        let mediaTypesOffset = file.position
        var nameOffset = names.byteCount
        for mediaType in mediaTypes.elements {
            scratch.appendLittleEndian(UInt32(truncatingIfNeeded: nameOffset))
            scratch.appendLittleEndian(UInt32(truncatingIfNeeded: mediaType.utf8.count))
            nameOffset += mediaType.utf8.count
        }
        try appendScratch()
        return Tables(
            paths: paths,
            digests: digests,
            segmentsOffset: segmentsOffset,
            mediaTypesOffset: mediaTypesOffset,
            namesOffset: file.position
        )
    }

    private func digestBuckets() throws -> BucketTableBuilder {
        let buckets = BucketTableBuilder(entryCount: count, keepsRepeats: false)
        var number = 0
        let start = IndexFormat.headerByteCount
        let entries = start..<start + count * IndexFormat.entryByteCount
        try file.readPieces(of: entries, by: 1_024 * IndexFormat.entryByteCount) { piece in
            for position in stride(from: 0, to: piece.count, by: IndexFormat.entryByteCount) {
                // The first eight bytes of the entry's digest.
                buckets.insert(number, hash: piece.littleEndian(at: position + 32))
                number += 1
            }
        }
        return buckets
    }

    private func append(_ table: BucketTableBuilder) throws -> (offset: UInt64, count: Int) {
        let offset = file.position
        try table.withUnsafeBytes { try append($0) }
        return (offset, table.count)
    }

    private func appendNames() throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { buffer.deallocate() }
        for start in stride(from: 0, to: names.byteCount, by: buffer.count) {
            let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, names.byteCount - start)])
            try names.read(at: start, into: piece)
            try append(UnsafeRawBufferPointer(piece))
        }
        for mediaType in mediaTypes.elements { scratch.append(contentsOf: mediaType.utf8) }
        try appendScratch()
    }

    private func appendScratch() throws {
        try scratch.withUnsafeBytes { try append($0) }
        scratch.removeAll(keepingCapacity: true)
    }

    private func append(_ bytes: UnsafeRawBufferPointer) throws {
        hasher.update(bytes)
        try file.append(bytes)
    }

    private func header(_ tables: Tables) -> [UInt8] {
        var header = IndexFormat.magic
        header.appendLittleEndian(IndexFormat.version)
        header.appendLittleEndian(UInt32(IndexFormat.headerByteCount))
        header.appendLittleEndian(file.position)
        let counts = [
            count, tables.paths.count, tables.digests.count, segments.elements.count, mediaTypes.elements.count,
        ]
        for count in counts { header.appendLittleEndian(UInt32(truncatingIfNeeded: count)) }
        header.appendLittleEndian(UInt32(marksNames ? 1 : 0))
        header.appendLittleEndian(UInt64(IndexFormat.headerByteCount))
        header.appendLittleEndian(tables.paths.offset)
        header.appendLittleEndian(tables.digests.offset)
        header.appendLittleEndian(tables.segmentsOffset)
        header.appendLittleEndian(tables.mediaTypesOffset)
        header.appendLittleEndian(tables.namesOffset)
        let digest = IndexFormat.digest(fields: header, rest: hasher.digest())
        digest.withUnsafeBytes { header.append(contentsOf: $0) }
        return header
    }
}
