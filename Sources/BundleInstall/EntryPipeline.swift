import BundleArchive
import BundleStore
import Foundation

/// Takes entries from the collector to the consumer. As many threads as there are processors each do what is to be done
/// next: collect a batch of entries, decode and hash one, or put one into the store.
///
/// `@unchecked Sendable`: the schedule gives the collector, the consumer and each batch to one thread at a time, and is
/// itself only touched under the lock.
final class EntryPipeline: @unchecked Sendable {
    private let collector: EntryCollector
    private let consumer: EntryConsumer
    private let threadCount = ProcessInfo.processInfo.activeProcessorCount
    private let condition = NSCondition()
    private var schedule: PipelineSchedule
    private var freeBatches: [ContentBatch] = []
    private var failure: (any Error)?

    init(_ collector: EntryCollector, _ consumer: EntryConsumer) {
        self.collector = collector
        self.consumer = consumer
        schedule = PipelineSchedule(maximumBatchCount: min(2 * threadCount + 2, 16))
    }

    /// Runs to the archive's end, once.
    ///
    /// - Parameter progress: Called now and then, by the thread that calls this, with the bytes of the archive read so far.
    /// - Throws: What is wrong with the first entry, in the archive's order, that something is wrong with;
    ///   `CancellationError` when the task is cancelled.
    func run(_ progress: (Int64) -> Void) throws {
        withUnsafeCurrentTask { task in
            withoutActuallyEscaping(progress) { progress in
                let caller = ObjectIdentifier(Thread.current)
                // Whether a task is cancelled may be asked from any thread, progress is told by this one alone, and both are
                // done with when this returns.
                nonisolated(unsafe) let (task, progress) = (task, progress)
                DispatchQueue.concurrentPerform(iterations: threadCount) { [self] _ in
                    let isCaller = ObjectIdentifier(Thread.current) == caller
                    work(isCancelled: { task?.isCancelled ?? false }, isCaller ? progress : { _ in })
                }
            }
        }
        if let failure = failure ?? collector.failure { throw failure }
        progress(collector.reader.bytesConsumed)
        try Task.checkCancellation()
    }

    /// Does one job after the other, until all is done or something has failed.
    private func work(isCancelled: () -> Bool, _ progress: (Int64) -> Void) {
        condition.lock()
        defer { condition.unlock() }
        while failure == nil, !schedule.isDone {
            if isCancelled() {
                failure = CancellationError()
            } else if let job = schedule.begin() {
                perform(job, progress)
            } else {
                condition.wait()
                continue
            }
            condition.broadcast()
        }
    }

    /// Does a job with the lock open.
    private func perform(_ job: PipelineSchedule.Job, _ progress: (Int64) -> Void) {
        switch job {
        case .collect:
            let batch = freeBatches.popLast() ?? ContentBatch()
            let holdsEntries = unlocked { collector.fill(batch) }
            schedule.endCollecting(holdsEntries ? batch : nil)
        case .decode(let batch):
            unlocked { batch.decode() }
            schedule.endDecoding(batch)
        case .consume(let batch):
            let result = unlocked {
                Result {
                    try consumer.consume(batch)
                    progress(batch.archivePosition)
                    batch.removeAll()
                }
            }
            if case .failure(let error) = result { failure = failure ?? error }
            freeBatches.append(batch)
            schedule.endConsuming()
        }
    }

    private func unlocked<Value>(_ body: () -> Value) -> Value {
        condition.unlock()
        defer { condition.lock() }
        return body()
    }
}
