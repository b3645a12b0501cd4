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

/// What is done with the batches of a ``BatchPipeline``.
package protocol PipelineStages: AnyObject, SendableMetatype {
    associatedtype Batch: PipelineBatch

    /// Makes an empty batch.
    func makeBatch() -> Batch
    /// Fills an empty batch, in order, on one thread at a time. Returns false when there is nothing more.
    func collect(_ batch: Batch) -> Bool
    /// Works on one batch while other threads work on others.
    func decode(_ batch: Batch)
    /// Takes a batch, in the order collected, on one thread at a time. Returns how far that is, for progress.
    func consume(_ batch: Batch) throws -> Int64
}

/// A part of the data of a ``BatchPipeline``, which is reused.
package protocol PipelineBatch: AnyObject, SendableMetatype {
    /// The number of bytes that it holds.
    var byteCount: Int { get }
    /// Empties it for reuse.
    func removeAll()
}

/// Decides which job comes next, and with which batch, for ``BatchPipeline``; has no threads of its own.
///
/// A batch is collected, decoded and consumed. At most one batch is collected at a time and at most one consumed, both
/// in the archive's order; any number are decoded.
struct PipelineSchedule<Batch: PipelineBatch> {
    enum Job {
        case collect
        case decode(Batch)
        case consume(Batch)
    }

    private enum Stage {
        case collected
        case decoding
        case decoded
    }

    /// The maximum number of bytes in all batches.
    private static var maximumByteCount: Int { 8 << 20 }
    /// The maximum number of batches.
    private let maximumBatchCount: Int

    /// In the archive's order, without the batch that is being consumed.
    private var batches: [(batch: Batch, stage: Stage)] = []
    private var isCollecting = false
    private var consumedByteCount: Int?
    private var hasEnded = false

    init(maximumBatchCount: Int) {
        self.maximumBatchCount = maximumBatchCount
    }

    /// Whether everything that was collected has been consumed, and no more entries follow.
    var isDone: Bool { hasEnded && !isBusy && batches.isEmpty }

    /// Whether a batch is being collected or consumed, so that there may soon be another job.
    private var isBusy: Bool { isCollecting || consumedByteCount != nil }

    /// Begins the next job; nil when there is none until another ends.
    mutating func begin() -> Job? {
        // The last stage has priority: it makes room for the others.
        if consumedByteCount == nil, let first = batches.first, first.stage == .decoded {
            batches.removeFirst()
            consumedByteCount = first.batch.byteCount
            return .consume(first.batch)
        }
        if let index = batches.firstIndex(where: { $0.stage == .collected }) {
            batches[index].stage = .decoding
            return .decode(batches[index].batch)
        }
        guard hasRoom else { return nil }
        isCollecting = true
        return .collect
    }

    /// Ends a `collect` job.
    ///
    /// - Parameter batch: The collected batch; nil when no more entries follow.
    mutating func endCollecting(_ batch: Batch?) {
        isCollecting = false
        if let batch { batches.append((batch, .collected)) } else { hasEnded = true }
    }

    mutating func endDecoding(_ batch: Batch) {
        guard let index = batches.firstIndex(where: { $0.batch === batch }) else { return }
        batches[index].stage = .decoded
    }

    mutating func endConsuming() { consumedByteCount = nil }

    private var hasRoom: Bool {
        guard !hasEnded, !isCollecting, batches.count < maximumBatchCount else { return false }
        return batches.reduce(consumedByteCount ?? 0) { $0 + $1.batch.byteCount } < Self.maximumByteCount
    }
}
