/// The layout of a version index file. Integers are little-endian; offsets count from the file's start.
///
///     offset  size  field
///     0       8     magic “OBINDEX\n”
///     8       4     format version, 1
///     12      4     size of the header, 128
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
///     96      32    SHA-256 of everything after the header
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
/// entries there are, and opening reads the header alone.
enum IndexFormat {
    static let magic: [UInt8] = Array("OBINDEX\n".utf8)
    static let version: UInt32 = 1
    static let headerByteCount = 128
    static let entryByteCount = 64
    static let bucketByteCount = 4
    static let segmentByteCount = FileIdentifier.byteCount
    static let mediaTypeByteCount = 8
    static let digestOffset = 96

    /// The number of buckets for `count` entries: a power of two, at most half full.
    static func bucketCount(for count: Int) -> Int {
        var buckets = 4
        while buckets < count * 2 { buckets *= 2 }
        return buckets
    }

    /// FNV-1a with 64 bits (Fowler, Noll, Vo), and MurmurHash3's finaliser so that the low bits are well mixed.
    static func hash(ofPath path: UnsafeRawBufferPointer) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in path {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        hash = (hash ^ hash >> 33) &* 0xFF51_AFD7_ED55_8CCD
        hash = (hash ^ hash >> 33) &* 0xC4CE_B9FE_1A85_EC53
        return hash ^ hash >> 33
    }

    /// A digest is evenly spread already: its first eight bytes.
    static func hash(of digest: Digest) -> UInt64 {
        digest.withUnsafeBytes { $0.littleEndian(at: 0) }
    }
}
