/// A file that holds the compressed bytes of single files of a zip, taken out of it.
///
/// Not `Sendable`: use an instance from one thread at a time.
package final class CompressedFile {
    private let file: ArchiveFile
    private let deadline: Deadline
    private let decoder = ZipDecoder()

    /// - Parameters:
    ///   - path: The file's path.
    ///   - limits: Of these the time limit counts, from now on.
    /// - Throws: ``ArchiveError`` with code `unreadable` when the path can't be opened or isn't a regular file.
    package init(path: String, limits: ArchiveLimits) throws(ArchiveError) {
        do throws(ArchiveError) {
            file = try ArchiveFile(path: path)
        } catch {
            throw error.located(at: path)
        }
        deadline = Deadline(after: limits.maximumDuration, clock: limits.clock)
    }

    /// Decodes one content and passes it on in pieces. Only its length is verified: compare its digest.
    ///
    /// - Parameters:
    ///   - extent: Where its compressed bytes are in this file.
    ///   - byteCount: The number of bytes that it must decode to, 0 or more.
    ///   - name: Its name in errors.
    ///   - buffer: Receives each piece; not empty.
    ///   - take: Called with each piece.
    /// - Throws: ``ArchiveError`` with code `damaged` when it doesn't decode to exactly that many bytes, `truncated` when
    ///   the file ends before, `limitExceeded` when the time limit has passed, `unreadable` when the disk fails; what
    ///   `take` throws.
    package func decode(
        _ extent: CompressedExtent,
        byteCount: Int64,
        named name: String,
        by buffer: UnsafeMutableRawBufferPointer,
        _ take: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let content = ZipContent(
            file: file,
            entryName: name,
            method: extent.isDeflated ? .deflated : .stored,
            range: extent.offset..<extent.offset + extent.byteCount,
            block: nil,
            byteCount: byteCount,
            checksum: nil,
            deadline: deadline
        )
        do {
            try decoder.begin(content)
            while case let count = try decoder.read(into: buffer), count > 0 {
                try take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
        } catch let error as ArchiveError {
            throw error.concerning(name).located(at: file.path)
        }
    }
}

/// Where the bytes of one file are in a zip, without its header. A value type; safe to share between threads.
package struct CompressedExtent: Hashable, Sendable {
    /// The offset of the first byte in the archive.
    package let offset: Int64
    /// The number of bytes in the archive.
    package let byteCount: Int64
    /// Whether they are compressed with deflate (RFC 1951); otherwise they are stored as they are.
    package let isDeflated: Bool

    package init(offset: Int64, byteCount: Int64, isDeflated: Bool) {
        self.offset = offset
        self.byteCount = byteCount
        self.isDeflated = isDeflated
    }
}
