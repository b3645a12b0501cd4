import BundleStore
import Testing

@testable import bundlectl

struct ProgressLineTests {
    @Test("the bar shows the part that is done")
    func half() {
        let line = ProgressLine.text("packing", ByteProgress(done: 5_000, total: 10_000), width: 80)
        #expect(line == "packing [############............] 50%")
    }

    @Test(
        "once it is known, so are the rate and the remaining time",
        arguments: [
            (1_000, "2.0 KB/s", "5 s left"), (2_000_000, "4.0 MB/s", "1 s left"), (10, "20 B/s", "8 min left"),
            (1, "2 B/s", "75 min left"),
        ] as [(Int64, String, String)]
    )
    func pace(_ half: Int64, _ rate: String, _ rest: String) {
        var pace = ProgressRate()
        pace.add(0, at: .seconds(10))
        pace.add(half, at: .milliseconds(10_500))
        let progress = ByteProgress(done: half, total: half * 2 + 9_000)
        #expect(ProgressLine.text("x", progress, pace, width: 80).hasSuffix("%"), "half a second says too little")
        pace.add(half * 2, at: .seconds(11))
        let line = ProgressLine.text("x", ByteProgress(done: half * 2, total: half * 2 + 9_000), pace, width: 80)
        #expect(line.hasSuffix(" \(rate) \(rest)"))
    }

    @Test("the rate is that of the last five seconds; of work that rests it isn't known")
    func recent() {
        var pace = ProgressRate()
        pace.add(0, at: .seconds(0))
        pace.add(1_000_000, at: .seconds(1))
        pace.add(1_000_100, at: .seconds(2))
        pace.add(1_000_500, at: .seconds(6))
        #expect(pace.bytesPerSecond == 100)
        pace.add(1_000_500, at: .seconds(20))
        pace.add(1_000_500, at: .seconds(22))
        #expect(pace.bytesPerSecond == nil)
    }

    @Test("odd values still give a bar", arguments: [(-1, 10), (20, 10), (0, 0), (Int64.max, 1)] as [(Int64, Int64)])
    func odd(_ done: Int64, _ total: Int64) {
        #expect(ProgressLine.text("x", ByteProgress(done: done, total: total), width: 80).contains("["))
    }

    @Test("the line leaves the last column free", arguments: [0, 1, 10, 40])
    func narrow(_ width: Int) {
        let line = ProgressLine.text("packing", ByteProgress(done: 1, total: 2), width: width)
        #expect(line.count <= max(0, width - 1))
    }
}
