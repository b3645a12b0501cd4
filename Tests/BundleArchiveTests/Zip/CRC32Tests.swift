import Testing

@testable import BundleArchive

@Suite struct CRC32Tests {
    @Test(
        arguments: [
            ("", 0), ("a", 0xE8B7_BE43), ("123456789", 0xCBF4_3926),
            ("The quick brown fox jumps over the lazy dog", 0x414F_A339),
        ] as [(String, UInt32)]
    )
    func `known texts give their checksums, whole and in parts`(text: String, expected: UInt32) {
        let bytes = Array(text.utf8)
        for split in 0...bytes.count {
            var checksum = CRC32()
            bytes[..<split].withUnsafeBytes { checksum.update($0) }
            bytes[split...].withUnsafeBytes { checksum.update($0) }
            #expect(checksum.value == expected)
        }
    }
}
