/// The layout of a version index file: a header, then the tables that it names. StoreFormat.md specifies the bytes.
///
/// Both hash tables use linear probing and are at most half full, so a look-up reads one or two buckets regardless of
/// the number of entries, and opening reads only the header. A path's bucket is its SipHash-1-3 under the file's own
/// random key, so that a publisher can't choose paths that fall into one long probe sequence; a content's bucket is the
/// first eight bytes of its digest, and of equal contents only the first is in the table.
enum IndexFormat {
    static let magic: [UInt8] = Array("OBINDEX\n".utf8)
    static let version: UInt32 = 2
    static let headerByteCount = 144
    static let fileHeader = StoreFileHeader(magic: magic, version: version, headerByteCount: headerByteCount)
    static let entryByteCount = 64
    static let bucketByteCount = 4
    static let segmentByteCount = FileIdentifier.byteCount
    static let mediaTypeByteCount = 8
    static let digestOffset = 96
    /// The start of the data after the digest.
    static let digestedOffset = digestOffset + Digest.byteCount

    /// The number of buckets for `count` entries: a power of two, at most half full.
    static func bucketCount(for count: Int) -> Int {
        var buckets = 4
        while buckets < count * 2 { buckets *= 2 }
        return buckets
    }

    /// The digest for the header.
    ///
    /// - Parameters:
    ///   - fields: The header's fields before the digest.
    ///   - rest: The digest of the data after the header's digest.
    static func digest(fields: some Sequence<UInt8>, rest: Digest) -> Digest {
        rest.withUnsafeBytes { Digest(of: Array(fields) + $0) }
    }

    /// A digest is already evenly distributed: its first eight bytes.
    static func hash(of digest: Digest) -> UInt64 {
        digest.withUnsafeBytes { $0.littleEndian(at: 0) }
    }
}

/// The header of a version index, validated so that every table lies inside the file.
struct IndexHeader {
    let entryCount: Int
    let pathBucketCount: Int
    let digestBucketCount: Int
    let segmentCount: Int
    let mediaTypeCount: Int
    /// Whether the entries say which names have a hash in them; those of earlier programs don't.
    let marksNames: Bool
    let entriesOffset: Int
    let pathBucketsOffset: Int
    let digestBucketsOffset: Int
    let segmentsOffset: Int
    let mediaTypesOffset: Int
    let namesOffset: Int
    let pathKey: SipHash.Key

    /// Returns nil when a table lies outside `bytes` or a bucket count isn't a power of two.
    ///
    /// - Parameter bytes: The whole file, at least ``IndexFormat/headerByteCount`` bytes.
    init?(_ bytes: UnsafeRawBufferPointer) {
        func count(at offset: Int) -> Int { Int(bytes.littleEndian(at: offset, as: UInt32.self)) }
        func offset(at offset: Int) -> Int { Int(clamping: bytes.littleEndian(at: offset, as: UInt64.self)) }
        entryCount = count(at: 24)
        pathBucketCount = count(at: 28)
        digestBucketCount = count(at: 32)
        segmentCount = count(at: 36)
        mediaTypeCount = count(at: 40)
        marksNames = count(at: 44) == 1
        entriesOffset = offset(at: 48)
        pathBucketsOffset = offset(at: 56)
        digestBucketsOffset = offset(at: 64)
        segmentsOffset = offset(at: 72)
        mediaTypesOffset = offset(at: 80)
        namesOffset = offset(at: 88)
        pathKey = SipHash.Key(low: bytes.littleEndian(at: 128), high: bytes.littleEndian(at: 136))

        let tables = [
            (entriesOffset, entryCount * IndexFormat.entryByteCount),
            (pathBucketsOffset, pathBucketCount * IndexFormat.bucketByteCount),
            (digestBucketsOffset, digestBucketCount * IndexFormat.bucketByteCount),
            (segmentsOffset, segmentCount * IndexFormat.segmentByteCount),
            (mediaTypesOffset, mediaTypeCount * IndexFormat.mediaTypeByteCount),
            (namesOffset, 0),
        ]
        guard tables.allSatisfy({ start, size in start <= bytes.count && size <= bytes.count - start }),
            pathBucketCount.nonzeroBitCount == 1, digestBucketCount.nonzeroBitCount == 1
        else { return nil }
    }

    func segments(in bytes: UnsafeRawBufferPointer) -> [FileIdentifier] {
        (0..<segmentCount).map { number in
            let start = segmentsOffset + number * IndexFormat.segmentByteCount
            return FileIdentifier(
                value: UInt128(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt128.self))
            )
        }
    }

    func mediaTypes(in bytes: UnsafeRawBufferPointer) -> [String] {
        (0..<mediaTypeCount).map { number in
            let position = mediaTypesOffset + number * IndexFormat.mediaTypeByteCount
            let start = namesOffset + Int(bytes.littleEndian(at: position, as: UInt32.self))
            let end = start + Int(bytes.littleEndian(at: position + 4, as: UInt32.self))
            return end <= bytes.count ? String(decoding: bytes[start..<end], as: UTF8.self) : ""
        }
    }
}
