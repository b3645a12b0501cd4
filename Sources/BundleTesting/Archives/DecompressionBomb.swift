import BundleArchive
import BundlePublishing
import Foundation

/// Small archives that unpack to something huge.
package enum DecompressionBomb {
    /// One file of zeros, compressed as well as `format` can.
    ///
    /// - Parameter byteCount: The size in bytes that it unpacks to.
    package static func zeros(byteCount: Int64, format: ArchiveFormat) throws -> [UInt8] {
        let file = FileManager.default.temporaryDirectory.appending(path: "bomb-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let writer = try ArchiveWriter(path: file.path(percentEncoded: false), format: format)
        try writer.add(name: "zeros.bin", byteCount: byteCount) { buffer throws(ArchiveError) in
            buffer.initializeMemory(as: UInt8.self, repeating: 0)
            return buffer.count
        }
        try writer.finish()
        return [UInt8](try Data(contentsOf: file))
    }

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
