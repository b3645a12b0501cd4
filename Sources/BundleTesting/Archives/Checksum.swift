/// Checksums for archives that are written by hand.
package enum Checksum {
    /// The CRC-32 of zip and gzip (RFC 1952, section 8), one bit at a time.
    package static func crc32(of bytes: [UInt8]) -> UInt32 {
        var state = UInt32.max
        for byte in bytes {
            state ^= UInt32(byte)
            for _ in 0..<8 { state = state & 1 == 0 ? state >> 1 : state >> 1 ^ 0xEDB8_8320 }
        }
        return ~state
    }
}
