import CompactCrypto
import Crypto
import Testing

@Suite("SHA-256 in place of Crypto's")
struct DigestTests {
    @Test("has Crypto's result for every length, in whatever pieces the bytes come")
    func sameDigests() {
        let bytes = (0..<400).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) }
        for count in 0...bytes.count {
            let part = Array(bytes.prefix(count))
            let expected = Array(Crypto.SHA256.hash(data: part))
            for step in [1, 7, 64, 65, 400] {
                var hasher = CompactCrypto.SHA256()
                for start in stride(from: 0, to: count, by: step) {
                    part[start..<min(start + step, count)].withUnsafeBytes { hasher.update(bufferPointer: $0) }
                }
                #expect(hasher.finalize().withUnsafeBytes { Array($0) } == expected, "\(count) bytes by \(step)")
            }
        }
    }
}
