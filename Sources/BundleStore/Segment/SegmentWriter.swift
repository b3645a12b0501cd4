import Crypto
import SystemPackage

/// Writes one segment in one sequential pass: contents are hashed on the way, and one that is known already is taken back.
///
/// Not thread-safe. Until ``finish()`` the file is a temporary one that nothing refers to; ``discard()`` removes it.
final class SegmentWriter {
    let identifier = FileIdentifier.random()
    private let layout: StoreLayout
    private let file: BufferedFile
    private let isKnown: (Digest) -> ContentLocation?
    private var written: [Digest: ContentLocation] = [:]

    private var hasher = SHA256()
    private var contentStart = UInt64(SegmentFormat.headerByteCount)

    /// - Parameter isKnown: Where the store already holds a content, so that it need not be written again.
    /// - Throws: `Errno` when the temporary file can't be made.
    init(in layout: StoreLayout, isKnown: @escaping (Digest) -> ContentLocation?) throws {
        self.layout = layout
        self.isKnown = isKnown
        file = try BufferedFile(creating: layout.temporary(identifier))
        try file.append([UInt8](repeating: 0, count: SegmentFormat.headerByteCount))
    }

    /// The bytes of content that this segment holds so far: what the store didn't have before.
    var newByteCount: UInt64 { contentStart - UInt64(SegmentFormat.headerByteCount) }

    /// Adds bytes to the current content.
    func append(_ bytes: UnsafeRawBufferPointer) throws {
        hasher.update(bufferPointer: bytes)
        try file.append(bytes)
    }

    /// Ends the current content and says what it is and where; the next ``append(_:)`` starts another.
    func endContent() throws -> (digest: Digest, location: ContentLocation) {
        let digest = Digest(hasher.finalize())
        hasher = SHA256()
        if let location = written[digest] ?? isKnown(digest) {
            try file.rewind(to: contentStart)
            return (digest, location)
        }
        let end = file.position
        let location = ContentLocation(segment: identifier, offset: contentStart, byteCount: end - contentStart)
        written[digest] = location
        contentStart = end
        return (digest, location)
    }

    /// Makes the segment durable under its final name. Returns false, and leaves no file, when it holds nothing new.
    func finish() throws -> Bool {
        guard newByteCount > 0 || !written.isEmpty else {
            discard()
            return false
        }
        try file.rewind(to: contentStart)
        try file.overwriteStart(with: SegmentFormat.header(fileByteCount: contentStart))
        try file.close(syncing: true)
        try Durable.publish(layout.temporary(identifier), as: layout.segment(identifier))
        return true
    }

    /// Removes the temporary file.
    func discard() {
        try? file.close(syncing: false)
        try? Durable.remove(layout.temporary(identifier))
    }
}
