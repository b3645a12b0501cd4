/// The bytes of one file of a zip, still compressed in the archive: to be decoded at any time and on any thread, while
/// others decode other files and while the ``ArchiveReader`` that gave it goes on. It keeps the archive's file open.
///
/// A value type; safe to share between threads.
public struct DeferredContent: Sendable {
    private let content: ZipContent
    /// The number of bytes that the archive says the file has, which ``ArchiveLimits`` allow.
    public let byteCount: Int

    /// How many bytes of the archive it holds in memory.
    public let heldByteCount: Int

    init(_ content: ZipContent) {
        self.content = content
        heldByteCount = content.bytes?.count ?? 0
        byteCount = Int(clamping: content.byteCount)
    }

    /// Decodes the file and verifies it: exactly ``byteCount`` bytes, from exactly the compressed bytes, with the right
    /// CRC-32.
    ///
    /// - Parameters:
    ///   - buffer: Receives the bytes; its `count` must be ``byteCount``. What it holds after an error means nothing.
    ///   - decoder: What decodes. Give each thread one of its own and reuse it: making one costs more than a small file.
    /// - Throws: ``ArchiveError`` with code `damaged` when the data isn't what the archive says, `limitExceeded` when the
    ///   time is over, `truncated` when the file has become shorter, or `unreadable` when the disk fails.
    public func decode(
        into buffer: UnsafeMutableRawBufferPointer,
        using decoder: ZipDecoder = ZipDecoder()
    ) throws(ArchiveError) {
        precondition(buffer.count == byteCount, "The buffer must have the size of the file.")
        do throws(ArchiveError) {
            try decoder.decode(content, into: buffer)
        } catch {
            throw error.concerning(content.entryName).located(at: content.file.path)
        }
    }
}
