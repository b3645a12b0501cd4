/// The layout of a version index file. Integers are little-endian; offsets count from the file's start.
///
///     offset  size  field
///     0       8     magic “OBINDEX\n”
///     8       4     format version, 2
///     12      4     size of the header, 144
///     16      8     size of the file
///     24      4     number of entries, n
///     28      4     number of path buckets, a power of two
///     32      4     number of digest buckets, a power of two
///     36      4     number of segments
///     40      4     number of media types
///     44      4     zero
///     48      8     offset of the entries       n × 64 bytes, sorted by path
///     56      8     offset of the path buckets  4 bytes each: entry number + 1, or 0
///     64      8     offset of the digest buckets, likewise
///     72      8     offset of the segments      16 bytes each: identifier, big-endian
///     80      8     offset of the media types   8 bytes each: offset, length in the names
///     88      8     offset of the names
///     96      32    SHA-256 of the 96 bytes before this field and the SHA-256 of everything after it
///     128     16    key of the path hash: the low word, then the high word
///
///     entry:  0   4   offset of the path in the names
///             4   2   length of the path
///             6   2   number of the media type
///             8   4   number of the segment
///             12  4   zero
///             16  8   offset of the content in the segment
///             24  8   length of the content
///             32  32  SHA-256 of the content
///
/// Both hash tables use linear probing and are at most half full, so a look-up reads one or two buckets however many
/// entries there are, and opening reads the header alone. A path's bucket is its SipHash-1-3 under the file's own random
/// key, so that nobody can publish paths that fall into one long probe sequence; a content's is the first eight bytes of
/// its digest, and of equal contents only the first is in the table.
///
/// Version 1 had a hash without a key.
enum IndexFormat {
    static let magic: [UInt8] = Array("OBINDEX\n".utf8)
    static let version: UInt32 = 2
    static let headerByteCount = 144
    static let entryByteCount = 64
    static let bucketByteCount = 4
    static let segmentByteCount = FileIdentifier.byteCount
    static let mediaTypeByteCount = 8
    static let digestOffset = 96
    /// Where that begins which comes after the digest.
    static let digestedOffset = digestOffset + Digest.byteCount

    /// The number of buckets for `count` entries: a power of two, at most half full.
    static func bucketCount(for count: Int) -> Int {
        var buckets = 4
        while buckets < count * 2 { buckets *= 2 }
        return buckets
    }

    /// What the header has for a digest.
    ///
    /// - Parameters:
    ///   - fields: The header's fields before the digest.
    ///   - rest: The digest of what comes after it.
    static func digest(fields: some Sequence<UInt8>, rest: Digest) -> Digest {
        rest.withUnsafeBytes { Digest(of: Array(fields) + $0) }
    }

    /// A digest is evenly spread already: its first eight bytes.
    static func hash(of digest: Digest) -> UInt64 {
        digest.withUnsafeBytes { $0.littleEndian(at: 0) }
    }
}
