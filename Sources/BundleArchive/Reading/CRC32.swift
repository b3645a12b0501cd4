import CDeflate

/// The checksum of gzip and zip (RFC 1952, section 8).
package struct CRC32 {
    /// The checksum of everything so far.
    package private(set) var value: UInt32 = 0

    package init() {}

    /// Appends `bytes`.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        // Without a base address libdeflate would return the checksum of no bytes and lose the current one.
        guard let start = bytes.baseAddress else { return }
        value = libdeflate_crc32(value, start, bytes.count)
    }
}
