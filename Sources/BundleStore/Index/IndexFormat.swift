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
