import SystemPackage

/// An immutable file of concatenated contents, mapped into memory.
final class Segment: Sendable {
    let identifier: FileIdentifier
    private let file: MappedFile

    /// Maps the segment and checks its header and size, because a mapped file that is shorter than it says would end the
    /// process when it is read.
    ///
    /// - Throws: ``BundleError`` with code `storeDamaged`; `Errno` when the file can't be opened.
    init(_ identifier: FileIdentifier, in layout: StoreLayout) throws {
        self.identifier = identifier
        let path = layout.segment(identifier)
        file = try MappedFile(path)
        let header = StoreFileHeader(file.bytes, magic: SegmentFormat.magic)
        try header.check(version: SegmentFormat.version, headerByteCount: SegmentFormat.headerByteCount, path: path)
    }

    /// The size of the file in bytes.
    var byteCount: Int { file.bytes.count }

    /// The content at `range` of the file, or nil when that isn't inside the contents.
    func slice(_ range: Range<Int>) -> ByteSlice? {
        guard range.lowerBound >= SegmentFormat.headerByteCount else { return nil }
        return ByteSlice(of: file, range: range)
    }
}
