import BundleModel
import Testing

struct ByteProgressTests {
    @Test(
        "what is done is between nothing and everything, whatever was counted",
        arguments: [
            (5, 10, 5, 10, 0.5), (-1, 10, 0, 10, 0), (11, 10, 10, 10, 1), (0, 0, 0, 0, 0), (1, -1, 0, 0, 0),
            (.max, .max, .max, .max, 1),
        ] as [(Int64, Int64, Int64, Int64, Double)]
    )
    func clamped(_ done: Int64, _ total: Int64, _ expectedDone: Int64, _ expectedTotal: Int64, _ fraction: Double) {
        let progress = ByteProgress(done: done, total: total)
        #expect((progress.done, progress.total) == (expectedDone, expectedTotal))
        #expect(progress.fraction == fraction)
    }

    @Test("as the last part of longer work it begins where the rest has ended")
    func following() {
        let progress = ByteProgress(done: 1, total: 4)
        #expect(progress.following(6) == ByteProgress(done: 7, total: 10))
        #expect(progress.following(.max) == ByteProgress(done: .max, total: .max))
    }
}
