import CDeflate

/// The checksum of gzip and zip (RFC 1952, section 8).
struct CRC32 {
    /// The checksum of everything so far.
    private(set) var value: UInt32 = 0

    /// Adds `bytes`.
    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        // Without a start libdeflate would return the checksum of nothing, and forget the rest.
        guard let start = bytes.baseAddress else { return }
        value = libdeflate_crc32(value, start, bytes.count)
    }
}
