import BundleInstall
import Testing

@Suite("Byte ranges")
struct ByteRangesTests {
    @Test(
        "near ranges are fetched with what is between them, others on their own",
        arguments: [
            ([], []),
            ([0..<0], []),
            ([10..<20], [10..<20]),
            ([20..<30, 0..<10], [0..<30]),
            ([0..<100, 50..<60, 90..<200], [0..<200]),
            ([0..<100, 612..<700], [0..<700]),
            ([0..<100, 613..<700], [0..<100, 613..<700]),
            // A gap of 600 bytes is less than a thirty-second of 40,000.
            ([0..<20_000, 20_600..<40_600, 60_000..<60_010], [0..<40_600, 60_000..<60_010]),
            // Two of them are more, and neither comes before the other.
            (
                [0..<10_000, 10_600..<20_600, 21_200..<31_200, 31_800..<32_000],
                [0..<10_000, 10_600..<20_600, 21_200..<31_200, 31_800..<32_000]
            ),
        ] as [([Range<Int64>], [Range<Int64>])]
    )
    func merged(needed: [Range<Int64>], expected: [Range<Int64>]) {
        let ranges = ByteRanges(covering: needed)
        #expect(ranges.ranges == expected)
        #expect(ranges.byteCount == expected.reduce(0) { $0 + Int64($1.count) })
    }

    @Test("a position in the file is found again in what was fetched")
    func positions() {
        let ranges = ByteRanges(covering: [100..<200, 5_000..<5_100, 9_000..<9_001])
        for (offset, position) in [(100, 0), (199, 99), (5_000, 100), (5_099, 199), (9_000, 200)] as [(Int64, Int64)] {
            #expect(ranges.position(of: offset) == position)
        }
        for offset in [0, 99, 200, 4_999, 5_100, 8_999, 9_001] as [Int64] {
            #expect(ranges.position(of: offset) == nil)
        }
    }

    @Test("what is left after any number of bytes comes in parts of a limited length, in order and without a gap")
    func parts() {
        let ranges = ByteRanges(covering: [100..<200, 5_000..<5_101])
        #expect(ranges.parts(from: 0, atMost: 60) == [100..<160, 160..<200, 5_000..<5_060, 5_060..<5_101])
        let whole = ranges.parts(from: 0, atMost: .max).flatMap(Array.init)
        for done in 0...201 {
            for limit in [1, 7, 100, 1_000] as [Int64] {
                let parts = ranges.parts(from: Int64(done), atMost: limit)
                #expect(parts.flatMap(Array.init) == Array(whole.dropFirst(done)))
                #expect(parts.allSatisfy { !$0.isEmpty && $0.count <= limit })
            }
        }
    }
}
