import BundleTesting
import Testing

@testable import BundleInstall

@Suite("PipelineSchedule")
struct PipelineScheduleTests {
    private static let maximumBatchCount = 6

    private func batch(byteCount: Int = 1) -> ContentBatch {
        let batch = ContentBatch()
        batch.append(.leaveOut, byteCount: byteCount) { _ in }
        return batch
    }

    @Test(
        "any number of threads consume all batches in order, one at a time, and hold few",
        arguments: 1...5,
        0..<8 as Range<UInt64>
    )
    func order(_ threadCount: Int, _ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var schedule = PipelineSchedule<ContentBatch>(maximumBatchCount: Self.maximumBatchCount)
        let batches = (0..<40).map { _ in batch() }
        var running: [PipelineSchedule<ContentBatch>.Job] = []
        var collectedCount = 0
        var consumed: [ContentBatch] = []
        while !schedule.isDone {
            while running.count < threadCount, let job = schedule.begin() { running.append(job) }
            // At least one thread always has a job; otherwise all would wait endlessly.
            guard let index = running.indices.randomElement(using: &random) else {
                Issue.record("nothing to do, and not done")
                return
            }
            let (collectingCount, consumingCount) = (
                running.count { $0.isCollecting }, running.count { $0.isConsuming }
            )
            #expect(collectingCount <= 1)
            #expect(consumingCount <= 1)
            #expect(collectedCount - consumed.count <= Self.maximumBatchCount + 1)
            switch running.remove(at: index) {
            case .collect:
                schedule.endCollecting(collectedCount < batches.count ? batches[collectedCount] : nil)
                collectedCount += 1
            case .decode(let batch):
                schedule.endDecoding(batch)
            case .consume(let batch):
                consumed.append(batch)
                schedule.endConsuming()
            }
        }
        #expect(running.isEmpty)
        #expect(consumed.count == batches.count)
        let isInOrder = zip(consumed, batches).allSatisfy { $0 === $1 }
        #expect(isInOrder)
    }

    @Test("nothing is collected while large batches wait")
    func byteCount() {
        var schedule = PipelineSchedule<ContentBatch>(maximumBatchCount: Self.maximumBatchCount)
        var jobs: [PipelineSchedule<ContentBatch>.Job] = []
        for _ in 0..<2 {
            if let job = schedule.begin() { jobs.append(job) }
            schedule.endCollecting(batch(byteCount: 4 << 20))
            if let job = schedule.begin() { jobs.append(job) }
        }
        #expect(jobs.map(\.isCollecting) == [true, false, true, false])
        let isIdle = schedule.begin() == nil
        #expect(isIdle)
    }

    @Test("an empty archive is done once it is known to be empty")
    func empty() {
        var schedule = PipelineSchedule<ContentBatch>(maximumBatchCount: Self.maximumBatchCount)
        #expect(!schedule.isDone)
        #expect(schedule.begin()?.isCollecting == true)
        let isIdle = schedule.begin() == nil
        #expect(isIdle)
        schedule.endCollecting(nil)
        #expect(schedule.isDone)
    }
}

extension PipelineSchedule.Job {
    fileprivate var isCollecting: Bool { if case .collect = self { true } else { false } }
    fileprivate var isConsuming: Bool { if case .consume = self { true } else { false } }
}
