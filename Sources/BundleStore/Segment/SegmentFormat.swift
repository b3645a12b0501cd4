/// The layout of a segment file: a header, then contents one after the other without padding. StoreFormat.md has the bytes.
enum SegmentFormat {
    static let headerByteCount = 64
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
}
