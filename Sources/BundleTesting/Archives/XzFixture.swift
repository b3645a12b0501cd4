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
