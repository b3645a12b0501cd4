import BundleArchive
import BundleStore
import Foundation

/// Moves entries from the collector to the consumer. As many threads as there are processors each do the next job:
/// collect a batch of entries, decode and hash one, or write one to the store.
///
/// `@unchecked Sendable`: the schedule gives the collector, the consumer and each batch to one thread at a time, and is
/// itself only accessed under the lock.
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

    /// Runs once, to the archive's end.
    ///
    /// - Parameter progress: Called now and then, on the calling thread, with the bytes of the archive read so far.
    /// - Throws: The error of the first faulty entry in the archive's order; `CancellationError` when the task is
    ///   cancelled.
    func run(_ progress: (Int64) -> Void) throws {
        withUnsafeCurrentTask { task in
            withoutActuallyEscaping(progress) { progress in
                let caller = ObjectIdentifier(Thread.current)
                // A task's cancellation may be checked on any thread, progress is only called on this one, and neither
                // is used after this returns.
                nonisolated(unsafe) let (task, progress) = (task, progress)
                DispatchQueue.concurrentPerform(iterations: threadCount) { [self] _ in
                    let isCaller = ObjectIdentifier(Thread.current) == caller
                    work(isCancelled: { task?.isCancelled ?? false }, isCaller ? progress : { _ in })
                }
            }
        }
        if let failure = failure ?? collector.failure { throw failure }
        progress(collector.reader.archiveByteCount)
        try Task.checkCancellation()
    }

    /// Does jobs until all are done or one has failed.
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

    /// Does a job without holding the lock.
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
