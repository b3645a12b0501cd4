import Foundation

/// Moves batches through their stages. Each of several threads does the next job: collect a batch, decode one, or consume
/// one.
///
/// `@unchecked Sendable`: the schedule gives the stages' order and each batch to one thread at a time, and is itself only
/// accessed under the lock.
package final class BatchPipeline<Stages: PipelineStages>: @unchecked Sendable {
    private let stages: Stages
    private let threadCount: Int
    private let condition = NSCondition()
    private var schedule: PipelineSchedule<Stages.Batch>
    private var freeBatches: [Stages.Batch] = []
    private var failure: (any Error)?

    /// - Parameter threadCount: How many threads work; default: one for each processor.
    package init(_ stages: Stages, threadCount: Int = ProcessInfo.processInfo.activeProcessorCount) {
        self.stages = stages
        self.threadCount = threadCount
        schedule = PipelineSchedule(maximumBatchCount: min(2 * threadCount + 2, 16))
    }

    /// Runs once, until nothing more is collected.
    ///
    /// - Parameter progress: Called now and then, on the calling thread, with what `consume` has returned.
    /// - Throws: The first error of `consume`; `CancellationError` when the task is cancelled.
    package func run(_ progress: (Int64) -> Void) throws {
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
        if let failure { throw failure }
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
    private func perform(_ job: PipelineSchedule<Stages.Batch>.Job, _ progress: (Int64) -> Void) {
        switch job {
        case .collect:
            let batch = freeBatches.popLast() ?? stages.makeBatch()
            let holdsEntries = unlocked { stages.collect(batch) }
            schedule.endCollecting(holdsEntries ? batch : nil)
        case .decode(let batch):
            unlocked { stages.decode(batch) }
            schedule.endDecoding(batch)
        case .consume(let batch):
            let result = unlocked {
                Result {
                    progress(try stages.consume(batch))
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
