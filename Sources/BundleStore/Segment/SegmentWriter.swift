import SystemPackage

/// Writes one segment in one sequential pass: contents one after the other.
///
/// Not thread-safe. Until ``finish()`` the file is a temporary one that nothing refers to; ``discard()`` removes it.
final class SegmentWriter {
    let identifier = FileIdentifier.random()
    private let layout: StoreLayout
    private let file: BufferedFile
    private var contentStart = UInt64(SegmentFormat.headerByteCount)
    private var holdsContent = false

    /// - Throws: `Errno` when the temporary file can't be made.
    init(in layout: StoreLayout) throws {
        self.layout = layout
        file = try BufferedFile(creating: layout.temporary(identifier), writesBackEarly: true)
        try file.append([UInt8](repeating: 0, count: SegmentFormat.headerByteCount))
    }

    /// The bytes of content that this segment holds so far.
    var contentByteCount: UInt64 { contentStart - UInt64(SegmentFormat.headerByteCount) }

    /// Adds bytes to the current content.
    func append(_ bytes: UnsafeRawBufferPointer) throws {
        try file.append(bytes)
    }

    /// Runs `body`, within which appended bytes aren't copied: they must stay as they are until it returns.
    func lending(_ body: () throws -> Void) throws { try file.lending(body) }

    /// Ends the current content and says where it is; the next ``append(_:)`` starts another.
    func endContent() -> ContentLocation {
        let end = file.position
        let location = ContentLocation(segment: identifier, offset: contentStart, byteCount: end - contentStart)
        contentStart = end
        holdsContent = true
        return location
    }

    /// Takes the current content back.
    func dropContent() throws {
        try file.rewind(to: contentStart)
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
        try file.overwriteStart(with: SegmentFormat.header(fileByteCount: contentStart))
        try file.close(syncing: true)
        try Durable.publish(layout.temporary(identifier), as: layout.segment(identifier))
        return true
    }

    /// Removes the temporary file. Without effect once it is finished.
    func discard() {
        try? file.close(syncing: false)
        try? Durable.remove(layout.temporary(identifier))
    }
}
