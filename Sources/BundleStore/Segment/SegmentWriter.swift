import SystemPackage

/// Writes one segment in one sequential pass: the contents one after another, long ones from the next page boundary.
///
/// Not thread-safe. Until ``finish()`` the file is a temporary one that nothing refers to; ``discard()`` removes it.
final class SegmentWriter {
    let identifier = FileIdentifier.random()
    private let layout: StoreLayout
    private let file: BufferedFile
    /// The end of the last content.
    private var contentsEnd = UInt64(SegmentFormat.headerByteCount)
    /// The start of the current content.
    private var contentStart = UInt64(SegmentFormat.headerByteCount)
    private var holdsContent = false

    /// - Throws: `Errno` when the temporary file can't be made.
    init(in layout: StoreLayout) throws {
        self.layout = layout
        file = try BufferedFile(creating: layout.temporary(identifier), writesBackEarly: true)
        try file.append([UInt8](repeating: 0, count: SegmentFormat.headerByteCount))
    }

    /// The number of content bytes in this segment so far.
    private(set) var contentByteCount: UInt64 = 0
    /// The length of the file so far.
    var fileByteCount: UInt64 { contentsEnd }

    /// Appends bytes to the current content. The size of the first piece decides whether the content counts as long.
    func append(_ bytes: UnsafeRawBufferPointer) throws {
        if bytes.count >= SegmentFormat.longContentByteCount, file.position == contentsEnd {
            try file.pad(toMultipleOf: SegmentFormat.pageByteCount)
            contentStart = file.position
        }
        try file.append(bytes)
    }

    /// Runs `body`. Within it appended bytes aren't copied: they must stay unchanged until it returns.
    func lending(_ body: () throws -> Void) throws { try file.lending(body) }

    /// Ends the current content and returns its location; the next ``append(_:)`` starts another.
    func endContent() -> ContentLocation {
        let end = file.position
        let location = ContentLocation(segment: identifier, offset: contentStart, byteCount: end - contentStart)
        contentByteCount += location.byteCount
        contentsEnd = end
        contentStart = end
        holdsContent = true
        return location
    }

    /// Discards the current content.
    func dropContent() throws {
        try file.rewind(to: contentsEnd)
        contentStart = contentsEnd
    }

    /// Calls `body` with a content in pieces, each of `byteCount` bytes except the last.
    func readPieces(
        of content: ContentLocation,
        by byteCount: Int,
        _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let start = Int(content.offset)
        try file.readPieces(of: start..<start + Int(content.byteCount), by: byteCount, body)
    }

    /// Makes the segment durable under its final name, without a content that wasn't ended. Returns false, and leaves
    /// no file, when the segment is empty.
    func finish() throws -> Bool {
        guard holdsContent else {
            discard()
            return false
        }
        try dropContent()
        try file.overwriteStart(with: SegmentFormat.header(fileByteCount: contentsEnd))
        try file.close(syncing: true)
        try Durable.publish(layout.temporary(identifier), as: layout.segment(identifier), in: layout.segments)
        return true
    }

    /// Removes the temporary file. Has no effect once the segment is finished.
    func discard() {
        try? file.close(syncing: false)
        try? Durable.remove(layout.temporary(identifier))
    }
}
