/// A gzip file written by hand (RFC 1952), with its contents stored rather than compressed.
package struct GzipFixture: Sendable {
    /// The uncompressed contents.
    package var contents: [UInt8]
    /// The CRC-32 in the trailer; correct by default.
    package var checksum: UInt32?
    /// The number of bytes in the trailer; correct by default.
    package var byteCount: UInt32?

    /// Makes a gzip file of `contents`.
    package init(_ contents: [UInt8], checksum: UInt32? = nil, byteCount: UInt32? = nil) {
        self.contents = contents
        self.checksum = checksum
        self.byteCount = byteCount
    }

    /// The file.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
        for start in stride(from: 0, to: contents.count, by: Int(UInt16.max)) {
            let block = contents[start..<min(start + Int(UInt16.max), contents.count)]
            bytes += storedBlock(block, isLast: block.endIndex == contents.count)
        }
        if contents.isEmpty { bytes += storedBlock([], isLast: true) }
        return bytes + little(checksum ?? Checksum.crc32(of: contents))
            + little(byteCount ?? UInt32(truncatingIfNeeded: contents.count))
    }

    /// RFC 1951, section 3.2.4.
    private func storedBlock(_ block: ArraySlice<UInt8>, isLast: Bool) -> [UInt8] {
        let size = UInt16(block.count)
        return [isLast ? 1 : 0] + little(size) + little(~size) + block
    }

    private func little(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian, Array.init)
    }
}
