/// The layout of a segment file: a header of 64 bytes, then contents one after the other without padding.
///
///     offset  size  field (integers are little-endian)
///     0       8     magic “OBSEGMT\n”
///     8       4     format version, 1
///     12      4     size of the header, 64
///     16      8     size of the file
///     24      40    zero
enum SegmentFormat {
    static let magic: [UInt8] = Array("OBSEGMT\n".utf8)
    static let version: UInt32 = 1
    static let headerByteCount = 64

    static func header(fileByteCount: UInt64) -> [UInt8] {
        var header = magic
        header.appendLittleEndian(version)
        header.appendLittleEndian(UInt32(headerByteCount))
        header.appendLittleEndian(fileByteCount)
        header.append(contentsOf: repeatElement(0, count: headerByteCount - header.count))
        return header
    }
}
