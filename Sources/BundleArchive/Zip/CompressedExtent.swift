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
