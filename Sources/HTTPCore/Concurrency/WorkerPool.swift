import Dispatch
import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// Runs work that waits for the disk on a few threads, in the order in which it was added, however slow the disk is.
///
/// A pool has no thread while there is nothing to do. Thread-safe.
package final class WorkerPool: Sendable {
    fileprivate struct State {
        /// Those from `next` on haven't begun.
        var work: [@Sendable () -> Void] = []
        var next = 0
        var runningCount = 0
    }

    private let maximumCount: Int
    private let state = Mutex(State())

    /// - Parameter maximumCount: The most threads; 1 or more.
    package init(maximumCount: Int) {
        self.maximumCount = maximumCount
    }

    /// Runs `work` once those that were added before have begun and a thread is free.
    package func add(_ work: @escaping @Sendable () -> Void) {
        let needsThread = state.withLock { state in
            state.work.append(work)
            guard state.runningCount < maximumCount else { return false }
            state.runningCount += 1
            return true
        }
        // A serial queue gets a thread when it has work, however many others are blocked.
        if needsThread { DispatchQueue(label: "offline-bundles.worker").async { self.run() } }
    }

    /// Runs `work` on one of the threads, and returns its result.
    package func run<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            add { continuation.resume(returning: work()) }
        }
    }

    private func run() {
        while let work = state.withLock({ $0.take() }) { work() }
    }
}

extension WorkerPool.State {
    /// Nil when nothing is left: the thread ends.
    fileprivate mutating func take() -> (@Sendable () -> Void)? {
        guard next < work.count else {
            (work, next) = ([], 0)
            runningCount -= 1
            return nil
        }
        if next >= 256 {
            work.removeFirst(next)
            next = 0
        }
        defer { next += 1 }
        return work[next]
    }
}

/// A thread for long work.
package enum WorkThread {
    /// How urgent the work is.
    package enum Priority: CaseIterable, Sendable {
        /// Responses wait for it.
        case prompt
        /// Everything else on the machine takes precedence.
        case background
    }

    /// The lowest priority there is.
    private static let niceness: Int32 = 19

    /// Runs `work` on a thread of its own, which ends with it.
    package static func start(_ priority: Priority, _ work: @escaping @Sendable () -> Void) {
        let thread = Thread {
            #if canImport(Glibc)
                // On Linux each thread has its own niceness, despite POSIX, and 0 means the calling one. Only a
                // dedicated thread may be lowered: without privileges the niceness can't be raised again.
                if priority == .background { _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness) }
            #endif
            work()
        }
        thread.qualityOfService = priority == .background ? QualityOfService.background : QualityOfService.userInitiated
        thread.name = "offline-bundles.work"
        thread.start()
    }

    /// Has the calling thread wait, which must be one of these: none of them belongs to a task that could be suspended.
    package static func pause(_ duration: Duration) {
        Thread.sleep(forTimeInterval: duration / .seconds(1))
    }
}

/// A thread for work that waits for the disk, so that it doesn't block one of the few that run everything else.
///
/// Give it to `withTaskExecutorPreference(_:operation:)`; what the operation calls runs here too, unless it belongs to
/// an actor with an executor of its own. It runs one job at a time: make an executor for each piece of work, so that a
/// slow one doesn't delay others. Thread-safe.
package final class BlockingExecutor: TaskExecutor {
    // A serial queue gets a thread when it has work, however many others are blocked; on Linux a concurrent queue
    // shares one thread per core with everything else.
    private let queue = DispatchQueue(label: "offline-bundles.blocking")

    /// Makes an executor; it has no thread while there is nothing to do.
    package init() {}

    /// Runs a part of a task, after those that were enqueued before it. Called by the Swift runtime.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
