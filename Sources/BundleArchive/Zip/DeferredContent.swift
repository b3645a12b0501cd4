/// The content of one file of a zip, still compressed in the archive. It can be decoded at any time and on any thread,
/// while other files are decoded and while the ``ArchiveReader`` that returned it continues. It keeps the archive's
/// file open.
///
/// A value type; safe to share between threads.
package struct DeferredContent: Sendable {
    private let content: ZipContent
    /// The file's length in bytes as declared in the archive, within ``ArchiveLimits``.
    package let byteCount: Int

    /// How many bytes of the archive it holds in memory.
    package let heldByteCount: Int

    /// Where the compressed bytes are in the archive.
    package var extent: CompressedExtent {
        CompressedExtent(
            offset: content.range.lowerBound,
            byteCount: content.compressedByteCount,
            isDeflated: content.method == .deflated
        )
    }

    init(_ content: ZipContent) {
        self.content = content
        heldByteCount = content.bytes?.count ?? 0
        byteCount = Int(clamping: content.byteCount)
    }

    /// Decodes the file and verifies it: exactly ``byteCount`` bytes, from exactly the compressed bytes, with the right
    /// CRC-32.
    ///
    /// - Parameters:
    ///   - buffer: Receives the bytes; its `count` must be ``byteCount``. Its content is undefined after an error.
    ///   - decoder: The decoder to use. Give each thread its own and reuse it: creating one costs more than decoding a
    ///     small file.
    /// - Throws: ``ArchiveError`` with code `damaged` when the data doesn't match the archive's declarations,
    ///   `limitExceeded` when the time limit has passed, `truncated` when the file has become shorter, or `unreadable`
    ///   when the disk fails.
    package func decode(
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
