/// A Zstandard frame written by hand (RFC 8878, section 3.1.1), with its contents stored rather than compressed.
package struct ZstandardFixture: Sendable {
    private static let blockByteCount = 100_000

    /// The uncompressed contents.
    package var contents: [UInt8]
    /// The exponent of 2, from 10 to 41, that gives the window's size in bytes.
    package var windowExponent: UInt8
    /// How many eighths of its size the window is larger, from 0 to 7.
    package var windowMantissa: UInt8

    /// Makes a frame of `contents`.
    package init(_ contents: [UInt8], windowExponent: UInt8 = 20, windowMantissa: UInt8 = 0) {
        self.contents = contents
        self.windowExponent = windowExponent
        self.windowMantissa = windowMantissa
    }

    /// The frame.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0, (windowExponent - 10) << 3 | windowMantissa]
        for start in stride(from: 0, through: contents.count, by: Self.blockByteCount) {
            let block = contents[start..<min(start + Self.blockByteCount, contents.count)]
            let isLast = start + Self.blockByteCount > contents.count
            let head = UInt32(block.count) << 3 | (isLast ? 1 : 0)
            bytes += withUnsafeBytes(of: head.littleEndian) { $0.prefix(3) } + block
        }
        return bytes
    }

    /// A frame that decompressors skip (section 3.1.2).
    package static let skippable: [UInt8] = [0x5A, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3]
}
