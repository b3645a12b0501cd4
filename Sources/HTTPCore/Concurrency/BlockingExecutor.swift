import Dispatch

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
