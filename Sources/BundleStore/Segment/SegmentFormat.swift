/// The layout of a segment file: a header, then the contents one after another; long contents begin on a page boundary.
/// StoreFormat.md specifies the bytes.
enum SegmentFormat {
    static let headerByteCount = 64
    /// Contents of at least this length begin on a page boundary, from where the system sends them with less work.
    static let longContentByteCount = 1 << 16
    static let pageByteCount = 4_096
    static let fileHeader = StoreFileHeader(
        magic: Array("OBSEGMT\n".utf8),
        version: 1,
        headerByteCount: headerByteCount
    )

    static func header(fileByteCount: UInt64) -> [UInt8] {
        let fields = fileHeader.fields(fileByteCount: fileByteCount)
        return fields + repeatElement(0, count: headerByteCount - fields.count)
    }

    /// The range of a content in a file of `fileByteCount` bytes, or nil when it lies outside the contents.
    static func range(at offset: UInt64, of byteCount: UInt64, within fileByteCount: Int) -> Range<Int>? {
        let (end, overflow) = offset.addingReportingOverflow(byteCount)
        guard !overflow, end <= UInt64(clamping: fileByteCount), offset >= headerByteCount else { return nil }
        return Int(offset)..<Int(end)
    }

    /// The number of padding bytes between `end`, the end of the preceding content, and the content in `range`, so that
    /// it begins on a page boundary.
    static func paddingByteCount(after end: Int, before range: Range<Int>) -> Int {
        guard range.count >= longContentByteCount, range.lowerBound.isMultiple(of: pageByteCount) else { return 0 }
        return min(max(range.lowerBound - end, 0), pageByteCount - 1)
    }
}
