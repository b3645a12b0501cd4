import Testing

@testable import BundleModel

@Suite("Digest")
struct DigestTests {
    @Test(
        "SHA-256 of the examples of FIPS 180-4",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ]
    )
    func hashing(_ text: String, _ hex: String) {
        let bytes = Array(text.utf8)
        #expect(Digest(of: bytes).hex == hex)
        #expect(bytes.withUnsafeBytes { Digest(of: $0) }.hex == hex)
        #expect("\(Digest(of: bytes))" == hex)
    }

    @Test("hexadecimal digits of either case are read back to the same digest")
    func hexadecimal() throws {
        let digest = Digest(of: Array("abc".utf8))
        #expect(Digest(hex: digest.hex) == digest)
        #expect(Digest(hex: digest.hex.uppercased()) == digest)
        #expect(Digest(hex: digest.hex.uppercased())?.hashValue == digest.hashValue)
        for position in [0, 16, 32, 48] {
            var digits = Array(digest.hex)
            digits[position] = digits[position] == "0" ? "1" : "0"
            #expect(Digest(hex: String(digits))?.hashValue != digest.hashValue, "claimed digests mustn't share a hash")
        }
        #expect(digest.withUnsafeBytes { Digest(bytes: $0) } == digest)
    }

    @Test(
        "anything but 64 hexadecimal digits is refused",
        arguments: [
            "", "ab", String(repeating: "a", count: 63), String(repeating: "a", count: 65),
            String(repeating: "g", count: 64),
            String(repeating: "a", count: 63) + " ", "0x" + String(repeating: "a", count: 62),
            String(repeating: "é", count: 32),
        ]
    )
    func refusal(_ text: String) {
        #expect(Digest(hex: text) == nil)
    }

    @Test("raw bytes of another length are refused", arguments: [0, 31, 33])
    func length(_ count: Int) {
        #expect([UInt8](repeating: 0, count: count).withUnsafeBytes { Digest(bytes: $0) } == nil)
    }

    @Test("digests that differ in any word differ")
    func inequality() throws {
        let zero = try #require(Digest(hex: String(repeating: "0", count: 64)))
        for position in [0, 16, 32, 63] {
            var digits = [Character](repeating: "0", count: 64)
            digits[position] = "1"
            #expect(Digest(hex: String(digits)) != zero)
        }
    }
}
