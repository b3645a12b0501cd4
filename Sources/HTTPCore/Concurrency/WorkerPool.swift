import Dispatch
import Synchronization

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
