import Testing

@testable import BundleStore

@Suite("SipHash")
struct SipHashTests {
    /// The key of the reference implementation's vectors: the bytes 0 to 15.
    private static let key = SipHash.Key(low: 0x0706_0504_0302_0100, high: 0x0F0E_0D0C_0B0A_0908)

    /// The results of an independent implementation for the bytes 0, 1, 2, … of these lengths; it also reproduces the
    /// published vector of SipHash-2-4.
    @Test(
        "gives the reference's values",
        arguments: [
            (0, 0xABAC_0158_050F_C4DC), (1, 0xC9F4_9BF3_7D57_CA93), (2, 0x82CB_9B02_4DC7_D44D),
            (3, 0x8BF8_0AB8_E7DD_F7FB), (7, 0xD392_7D98_9BB1_1140), (8, 0x3690_9511_8D29_9A8E),
            (15, 0xD320_D86D_2A51_9956), (40, 0xC1D2_3632_99E4_1531),
        ] as [(Int, UInt64)]
    )
    func vectors(_ count: Int, _ expected: UInt64) {
        let bytes = (0..<count).map { UInt8($0) }
        #expect(bytes.withUnsafeBytes { SipHash.hash($0, Self.key) } == expected)
    }

    @Test("doesn't depend on how the bytes are split", arguments: [0, 1, 7, 8, 9, 15, 16, 17, 40])
    func pieces(_ count: Int) {
        let bytes = (0..<count).map { UInt8($0) }
        let whole = bytes.withUnsafeBytes { SipHash.hash($0, Self.key) }
        for first in 0...count {
            for second in first...count {
                var hash = SipHash(Self.key)
                for range in [0..<first, first..<second, second..<count] {
                    Array(bytes[range]).withUnsafeBytes { hash.update($0) }
                }
                #expect(hash.finalize() == whole)
            }
        }
    }

    @Test("differs for another key")
    func keys() {
        let bytes: [UInt8] = [1, 2, 3]
        let hashes = Set((0..<100).map { key in bytes.withUnsafeBytes { SipHash.hash($0, .init(low: key, high: 0)) } })
        #expect(hashes.count == 100)
    }
}
