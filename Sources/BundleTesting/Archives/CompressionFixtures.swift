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

/// Changes to xz files (The .xz File Format, version 1.2.1).
package enum XzFixture {
    /// The offset of the first block's header, after that of the stream.
    private static let headerOffset = 12
    private static let lzma2: [UInt8] = [0x21, 1]

    /// The file with another size of the LZMA2 dictionary in the header of its first block.
    ///
    /// - Parameter code: The size in the header's encoding (section 5.3.1): 22 for 8 MiB, 24 for 16 MiB, 28 for 64 MiB.
    /// - Returns: Nil when the first block has other filters.
    package static func settingDictionary(_ code: UInt8, in file: [UInt8]) -> [UInt8]? {
        guard file.count > headerOffset else { return nil }
        let end = headerOffset + (Int(file[headerOffset]) + 1) * 4
        guard file.count >= end, Array(file[headerOffset + 2..<headerOffset + 4]) == lzma2 else { return nil }
        var file = file
        file[headerOffset + 4] = code
        let checksum = Checksum.crc32(of: Array(file[headerOffset..<end - 4]))
        file.replaceSubrange(end - 4..<end, with: withUnsafeBytes(of: checksum.littleEndian, Array.init))
        return file
    }
}

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
            bytes += withUnsafeBytes(of: head.littleEndian) { Array($0.prefix(3)) } + block
        }
        return bytes
    }

    /// A frame that decompressors skip (section 3.1.2).
    package static let skippable: [UInt8] = [0x5A, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3]
}

/// Small archives that unpack to something huge.
package enum DecompressionBomb {
    /// A GNU sparse tar of 1.5 KiB: a file that is one hole of `byteCount` bytes. For 1 GiB that is a ratio of about
    /// 700,000 to 1 without any compression.
    package static func hole(byteCount: Int64) -> [UInt8] {
        func octal(_ number: Int64) -> [UInt8] {
            let text = String(number, radix: 8)
            return Array((String(repeating: "0", count: max(0, 11 - text.count)) + text).utf8)
        }
        let entry = TarFixtureEntry("hole.bin").with { entry in
            entry.typeFlag = "S"
            entry.overlay = [
                257: Array("ustar  \u{0}".utf8), 386: octal(byteCount), 398: octal(0), 483: octal(byteCount),
            ]
        }
        return TarFixture([entry]).bytes
    }

    /// A zip whose `count` entries all share the bytes of the first.
    package static func overlappingEntries(count: Int, sharedByteCount: Int) -> [UInt8] {
        let contents = [UInt8](repeating: 0x61, count: sharedByteCount)
        let checksum = Checksum.crc32(of: contents)
        let first = ZipFixtureEntry("0000", contents).with { $0.checksum = checksum }
        let others = (1..<count).map { index in
            ZipFixtureEntry(String(repeating: "0", count: 4 - String(index).count) + String(index)).with { entry in
                entry.checksum = checksum
                entry.compressedByteCount = UInt32(sharedByteCount)
                entry.uncompressedByteCount = UInt32(sharedByteCount)
                entry.localHeaderOffset = 0
            }
        }
        return ZipFixture([first] + others).bytes
    }
}

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
