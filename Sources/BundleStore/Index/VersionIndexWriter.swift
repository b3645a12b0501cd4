import SystemPackage

/// Builds a version index in memory and writes it durably.
struct VersionIndexWriter {
    /// One file of the release to be.
    struct File {
        let path: BundlePath
        let mediaType: String
        let digest: Digest
        let location: ContentLocation
    }

    private static let maximumNameByteCount = 1 << 30

    private var segments = NumberedSet<FileIdentifier>()
    private var mediaTypes = NumberedSet<String>()
    private var names: [UInt8] = []
    private var entries: [UInt8] = []
    private var pathHashes: [UInt64] = []
    private var digestHashes: [UInt64] = []

    /// - Parameter files: In any order; no path twice.
    /// - Throws: ``BundleError`` with code `invalidArchive` when the names or media types outgrow the format's numbers.
    init(_ files: [File]) throws(BundleError) {
        entries.reserveCapacity(files.count * IndexFormat.entryByteCount)
        for file in files.sorted(by: { $0.path < $1.path }) {
            add(file)
            guard names.count <= Self.maximumNameByteCount, mediaTypes.elements.count <= UInt16.max else {
                throw BundleError(
                    .invalidArchive,
                    "the paths of the archive come to over \(Self.maximumNameByteCount) bytes, or its files have over "
                        + "\(UInt16.max) media types; split it into several bundles"
                )
            }
        }
    }

    /// The segments that the index refers to.
    var referencedSegments: [FileIdentifier] { segments.elements }

    /// Writes, syncs and names the file.
    func write(_ identifier: FileIdentifier, in layout: StoreLayout) throws {
        let temporary = layout.temporary(identifier)
        do {
            let file = try BufferedFile(creating: temporary)
            try file.append(encoded())
            try file.close(syncing: true)
            try Durable.publish(temporary, as: layout.index(identifier))
        } catch {
            try? Durable.remove(temporary)
            throw error
        }
    }

    private mutating func add(_ file: File) {
        var path = file.path.string
        path.withUTF8 { utf8 in
            entries.appendLittleEndian(UInt32(names.count))
            entries.appendLittleEndian(UInt16(utf8.count))
            names.append(contentsOf: utf8)
            pathHashes.append(IndexFormat.hash(ofPath: UnsafeRawBufferPointer(utf8)))
        }
        entries.appendLittleEndian(UInt16(mediaTypes.number(of: file.mediaType)))
        entries.appendLittleEndian(UInt32(segments.number(of: file.location.segment)))
        entries.appendLittleEndian(UInt32(0))
        entries.appendLittleEndian(file.location.offset)
        entries.appendLittleEndian(file.location.byteCount)
        file.digest.withUnsafeBytes { entries.append(contentsOf: $0) }
        digestHashes.append(IndexFormat.hash(of: file.digest))
    }

    private func encoded() -> [UInt8] {
        var names = names
        var mediaTypeTable: [UInt8] = []
        for mediaType in mediaTypes.elements {
            mediaTypeTable.appendLittleEndian(UInt32(names.count))
            mediaTypeTable.appendLittleEndian(UInt32(mediaType.utf8.count))
            names.append(contentsOf: mediaType.utf8)
        }
        var segmentTable: [UInt8] = []
        for segment in segments.elements {
            withUnsafeBytes(of: segment.value.bigEndian) { segmentTable.append(contentsOf: $0) }
        }
        let tables = [
            entries,
            BucketTable.make(pathHashes, keepsRepeats: true),
            BucketTable.make(digestHashes, keepsRepeats: false),
            segmentTable,
            mediaTypeTable,
        ]
        let body = Array((tables + [names]).joined())
        return header(tables: tables, body: body) + body
    }

    private func header(tables: [[UInt8]], body: [UInt8]) -> [UInt8] {
        var header = IndexFormat.magic
        header.appendLittleEndian(IndexFormat.version)
        header.appendLittleEndian(UInt32(IndexFormat.headerByteCount))
        header.appendLittleEndian(UInt64(IndexFormat.headerByteCount + body.count))
        header.appendLittleEndian(UInt32(pathHashes.count))
        header.appendLittleEndian(UInt32(tables[1].count / IndexFormat.bucketByteCount))
        header.appendLittleEndian(UInt32(tables[2].count / IndexFormat.bucketByteCount))
        header.appendLittleEndian(UInt32(segments.elements.count))
        header.appendLittleEndian(UInt32(mediaTypes.elements.count))
        header.appendLittleEndian(UInt32(0))
        var offset = IndexFormat.headerByteCount
        for table in tables {
            header.appendLittleEndian(UInt64(offset))
            offset += table.count
        }
        header.appendLittleEndian(UInt64(offset))
        Digest(of: body).withUnsafeBytes { header.append(contentsOf: $0) }
        return header
    }
}
