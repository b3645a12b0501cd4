import BundleStore
import Testing

@testable import bundlectl

struct ProgressLineTests {
    @Test("the bar shows the part that is done")
    func half() {
        let line = ProgressLine.text("packing", ByteProgress(done: 5_000, total: 10_000), width: 80)
        #expect(line == "packing [############............] 50% 5.0 KB of 10 KB")
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
