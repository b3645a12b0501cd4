import Testing

@testable import BundleStore

@Suite("The mark of a name in a version index")
struct NameMarkTests {
    @Test("is read as it was written", arguments: Immutability.allCases, [nil, 3..<11, 1_000..<1_064])
    func roundTrip(reason: Immutability, hash: Range<Int>?) {
        let mark = NameMark(reason, hash: hash)
        #expect(NameMark(mark.encoded, pathByteCount: 1_064) == mark)
    }

    @Test("is zero for a name that says nothing")
    func none() {
        #expect(NameMark.none.encoded == 0)
        #expect(NameMark(nil, hash: 1..<9).encoded == 0)
        #expect(NameMark(0, pathByteCount: 10) == .none)
    }

    @Test("has no place for a hash that is too far or too long", arguments: [70_000..<70_008, 0..<256])
    func noPlace(hash: Range<Int>) {
        let mark = NameMark(NameMark(.name, hash: hash).encoded, pathByteCount: 100_000)
        #expect(mark == NameMark(.name, hash: nil))
    }

    @Test("counts for nothing when it is damaged", arguments: [0x0108_0003, 0xFF08_0000, 0x0608_0000] as [UInt32])
    func damaged(encoded: UInt32) {
        #expect(NameMark(encoded, pathByteCount: 10) == .none)
    }
}
