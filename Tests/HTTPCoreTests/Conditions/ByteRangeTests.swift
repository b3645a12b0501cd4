import BundleTesting
import Testing

@testable import BundleServing
@testable import HTTPCore

@Suite("Byte ranges (RFC 9110 §14.1.2, §14.2)")
struct ByteRangeTests {
    @Test(
        "ranges are parsed",
        arguments: [
            ("bytes=0-499", [ByteRange.from(0, through: 499)]),
            ("bytes=9500-", [.from(9_500, through: nil)]),
            ("bytes=-500", [.suffix(500)]),
            ("bytes=0-0,-1", [.from(0, through: 0), .suffix(1)]),
            ("bytes= 0-999, 4500-5499, -1000", [.from(0, through: 999), .from(4_500, through: 5_499), .suffix(1_000)]),
            ("bytes=,,0-1\t,,  ,2-3,", [.from(0, through: 1), .from(2, through: 3)]),
            ("BYTES=0-1", [.from(0, through: 1)]), ("Bytes=0-1", [.from(0, through: 1)]),
            (" bytes=0-1 ", [.from(0, through: 1)]),
            ("bytes=5-5", [.from(5, through: 5)]), ("bytes=000-0009", [.from(0, through: 9)]),
            ("bytes=-0", [.suffix(0)]),
            ("bytes=0-18446744073709551616", [.from(0, through: .max)]),
            ("bytes=99999999999999999999-", [.from(.max, through: nil)]),
            ("bytes=99999999999999999999-99999999999999999998", [.from(.max, through: .max)]),
            ("bytes=-99999999999999999999999", [.suffix(.max)]),
        ]
    )
    func wellFormed(value: String, expected: [ByteRange]) {
        #expect(ByteRangeSet(value)?.ranges == expected)
    }

    @Test(
        "another unit or anything malformed is ignored",
        arguments: [
            "", "bytes", "bytes=", "bytes=,", "bytes= , ,", "items=0-5", "none=0-1", "=0-1", "0-1", "bytes 0-1",
            "bytes:0-1", "bytes =0-1", "bytes=-", "bytes=--1", "bytes=0", "bytes=a-b", "bytes=0-b", "bytes=a-1",
            "bytes=5-4", "bytes=0-1,5-4", "bytes=0-1;2-3", "bytes=0-1 2-3", "bytes=0 -1", "bytes=0- 1", "bytes=+0-1",
            "bytes=0x0-0x1", "bytes=0-1-2", "bytes=0--1", "bytes=1.0-2", "bytes=-1-", "bytes=-5-4", "bytes=\"0-1\"",
            "bytes=0-1/10", "bytes=*", "bytes=*/5", "bytes=٠-١", "bytes=0-1\u{0}", "bytes==0-1", "byte=0-1",
        ]
    )
    func malformed(value: String) {
        #expect(ByteRangeSet(value) == nil)
    }

    @Test(
        "of 10 bytes, a range gives",
        arguments: [
            ("bytes=0-", ByteRangeSet.Selection.parts([0..<10])), ("bytes=0-9", .parts([0..<10])),
            ("bytes=0-0", .parts([0..<1])), ("bytes=9-", .parts([9..<10])), ("bytes=9-9", .parts([9..<10])),
            ("bytes=3-100", .parts([3..<10])), ("bytes=3-99999999999999999999", .parts([3..<10])),
            ("bytes=-3", .parts([7..<10])), ("bytes=-10", .parts([0..<10])), ("bytes=-11", .parts([0..<10])),
            ("bytes=-99999999999999999999", .parts([0..<10])),
            ("bytes=10-", .unsatisfiable), ("bytes=10-20", .unsatisfiable), ("bytes=-0", .unsatisfiable),
            ("bytes=99999999999999999999-", .unsatisfiable), ("bytes=10-,11-,-0", .unsatisfiable),
            ("bytes=0-0,20-30", .parts([0..<1])), ("bytes=20-30,-1", .parts([9..<10])),
        ]
    )
    func selection(value: String, expected: ByteRangeSet.Selection) throws {
        #expect(try #require(ByteRangeSet(value)).selection(length: 10) == expected)
    }

    @Test(
        "overlapping or adjacent ranges are joined, the others stay in order (§15.3.7.2)",
        arguments: [
            ("bytes=0-1,4-5", [0..<2, 4..<6]), ("bytes=4-5,0-1", [4..<6, 0..<2]), ("bytes=0-0,-1", [0..<1, 99..<100]),
            ("bytes=-1,0-0", [99..<100, 0..<1]), ("bytes=0-4,4-8", [0..<9]), ("bytes=0-4,5-8", [0..<9]),
            ("bytes=5-8,0-4", [0..<9]), ("bytes=0-9,2-3", [0..<10]), ("bytes=2-3,0-9", [0..<10]),
            ("bytes=0-0,0-0,0-0", [0..<1]), ("bytes=50-59,0-9,55-69", [50..<70, 0..<10]),
            ("bytes=0-9,50-59,10-19", [0..<20, 50..<60]), ("bytes=15-29,50-59,10-19", [10..<30, 50..<60]),
            ("bytes=0-,0-,0-,0-", [0..<100]),
            ("bytes=20-29,0-9,10-19,40-", [0..<30, 40..<100]),
        ]
    )
    func joining(value: String, expected: [Range<Int>]) throws {
        #expect(try #require(ByteRangeSet(value)).selection(length: 100) == .parts(expected))
    }

    @Test("sixteen separate ranges are sent, seventeen give the whole (§17.15)")
    func manyRanges() throws {
        let value: (Int) -> String = { "bytes=" + (0..<$0).map { "\($0 * 2)-\($0 * 2)" }.joined(separator: ",") }
        let sixteen = try #require(ByteRangeSet(value(16))).selection(length: 1_000)
        #expect(sixteen == .parts((0..<16).map { $0 * 2..<$0 * 2 + 1 }))
        #expect(try #require(ByteRangeSet(value(17))).selection(length: 1_000) == .whole)
        #expect(try #require(ByteRangeSet(value(2_000))).selection(length: 1_000_000) == .whole)
    }

    @Test("a thousand overlapping ranges are one")
    func overlapping() throws {
        let value = "bytes=" + (0..<1_000).map { "\($0)-" }.joined(separator: ",")
        #expect(try #require(ByteRangeSet(value)).selection(length: 5_000) == .parts([0..<5_000]))
    }

    @Test(
        "empty content satisfies a suffix range, with no bytes, and no other range (§14.1.2)",
        arguments: [
            ("bytes=-1", ByteRangeSet.Selection.whole), ("bytes=0-", .unsatisfiable), ("bytes=-0", .unsatisfiable),
        ]
    )
    func emptyContent(value: String, expected: ByteRangeSet.Selection) throws {
        #expect(try #require(ByteRangeSet(value)).selection(length: 0) == expected)
    }

    @Test(
        "numbers that no field can give don't trap",
        arguments: [ByteRange.from(-1, through: nil), .from(5, through: 4), .suffix(-1), .from(.min, through: .max)]
    )
    func nonsense(range: ByteRange) {
        #expect(range.resolved(in: 10) == nil)
    }

    @Test("for any request, parts are separate, not empty, and inside the content")
    func fuzz() {
        var generator = SeededGenerator(seed: 4)
        let pieces = [
            "0", "1", "7", "42", "99999999999999999999", "-", "-", ",", ",", " ", "\t", "é", "=", "bytes=", "x",
        ]
        let numbers = ["0", "1", "9", "50", "99", "100", "101", "9223372036854775807", ""]
        for round in 0..<5_000 {
            let isClean = round.isMultiple(of: 2)
            let ranges = (0..<Int.random(in: 1...20, using: &generator)).map { _ in
                generator.text(of: numbers, maximumCount: 1) + "-" + generator.text(of: numbers, maximumCount: 1)
            }
            let value = "bytes=" + (isClean ? ranges.joined(separator: ",") : generator.text(of: pieces))
            let length = [0, 1, 2, 100, Int.max].randomElement(using: &generator) ?? 0
            guard case .parts(let parts) = ByteRangeSet(value)?.selection(length: length) else { continue }
            #expect((1...ByteRangeSet.maximumPartCount).contains(parts.count), "\(value)")
            #expect(parts.allSatisfy { !$0.isEmpty && $0.lowerBound >= 0 && $0.upperBound <= length }, "\(value)")
            let sorted = parts.sorted { $0.lowerBound < $1.lowerBound }
            #expect(zip(sorted, sorted.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound }, "\(value)")
        }
    }
}
