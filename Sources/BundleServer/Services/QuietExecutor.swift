import BundleNetwork
import HTTPCore
import Synchronization

/// A thread of the lowest priority for tasks that are never urgent: everything else on the machine takes precedence.
/// The thread exists only while there are jobs.
///
/// For `withTaskExecutorPreference(_:operation:)`. Thread-safe.
final class QuietExecutor: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var hasThread = false
    }

    private let state = Mutex(State())

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let needsThread = state.withLock { state in
            state.jobs.append(job)
            defer { state.hasThread = true }
            return !state.hasThread
        }
        if needsThread { WorkThread.start(.background) { self.work() } }
    }

    private func work() {
        while let job = nextJob() { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    private func nextJob() -> UnownedJob? {
        state.withLock { state in
            guard !state.jobs.isEmpty else {
                state.hasThread = false
                return nil
            }
            return state.jobs.removeFirst()
        }
    }
}
