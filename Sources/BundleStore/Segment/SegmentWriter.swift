import SystemPackage

/// Writes one segment in one sequential pass: contents one after the other, long ones from the next page on.
///
/// Not thread-safe. Until ``finish()`` the file is a temporary one that nothing refers to; ``discard()`` removes it.
final class SegmentWriter {
    let identifier = FileIdentifier.random()
    private let layout: StoreLayout
    private let file: BufferedFile
    /// Where the last content ends …
    private var contentsEnd = UInt64(SegmentFormat.headerByteCount)
    /// … and where the current one begins.
    private var contentStart = UInt64(SegmentFormat.headerByteCount)
    private var holdsContent = false

    /// - Throws: `Errno` when the temporary file can't be made.
    init(in layout: StoreLayout) throws {
        self.layout = layout
        file = try BufferedFile(creating: layout.temporary(identifier), writesBackEarly: true)
        try file.append([UInt8](repeating: 0, count: SegmentFormat.headerByteCount))
    }

    /// The bytes of content that this segment holds so far.
    private(set) var contentByteCount: UInt64 = 0
    /// The length of the file, with what it holds so far.
    var fileByteCount: UInt64 { contentsEnd }

    /// Adds bytes to the current content. Whether it is a long one is known by the first of them: these are many then.
    func append(_ bytes: UnsafeRawBufferPointer) throws {
        if bytes.count >= SegmentFormat.longContentByteCount, file.position == contentsEnd {
            try file.pad(toMultipleOf: SegmentFormat.pageByteCount)
            contentStart = file.position
        }
        try file.append(bytes)
    }

    /// Runs `body`, within which appended bytes aren't copied: they must stay as they are until it returns.
    func lending(_ body: () throws -> Void) throws { try file.lending(body) }

    /// Ends the current content and says where it is; the next ``append(_:)`` starts another.
    func endContent() -> ContentLocation {
        let end = file.position
        let location = ContentLocation(segment: identifier, offset: contentStart, byteCount: end - contentStart)
        contentByteCount += location.byteCount
        contentsEnd = end
        contentStart = end
        holdsContent = true
        return location
    }

    /// Takes the current content back.
    func dropContent() throws {
        try file.rewind(to: contentsEnd)
        contentStart = contentsEnd
    }

    /// Calls `body` with one piece of a content after the other, each of `byteCount` bytes but for the last.
    func readPieces(
        of content: ContentLocation,
        by byteCount: Int,
        _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let start = Int(content.offset)
        try file.readPieces(of: start..<start + Int(content.byteCount), by: byteCount, body)
    }

    /// Makes the segment durable under its final name, without a content that wasn't ended. Returns false, and leaves no
    /// file, when it holds nothing.
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

    /// Removes the temporary file. Without effect once it is finished.
    func discard() {
        try? file.close(syncing: false)
        try? Durable.remove(layout.temporary(identifier))
    }
}
