/// The layout of a segment file: a header, then contents one after the other, of which long ones begin on a page.
/// StoreFormat.md has the bytes.
enum SegmentFormat {
    static let headerByteCount = 64
    /// A content of so many bytes begins on a page of the file, where the system sends it with less work.
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

    /// Where a content is in a file of `fileByteCount` bytes, or nil when it isn't inside the contents.
    static func range(at offset: UInt64, of byteCount: UInt64, within fileByteCount: Int) -> Range<Int>? {
        let (end, overflow) = offset.addingReportingOverflow(byteCount)
        guard !overflow, end <= UInt64(clamping: fileByteCount), offset >= headerByteCount else { return nil }
        return Int(offset)..<Int(end)
    }

    /// How many of the bytes between `end`, where what comes before ends, and the content in `range` are there so that it
    /// begins on a page.
    static func paddingByteCount(after end: Int, before range: Range<Int>) -> Int {
        guard range.count >= longContentByteCount, range.lowerBound.isMultiple(of: pageByteCount) else { return 0 }
        return min(max(range.lowerBound - end, 0), pageByteCount - 1)
    }
}
