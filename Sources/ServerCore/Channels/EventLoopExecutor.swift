import NIOCore
import Synchronization

/// Runs tasks on an event loop, so that what they await there needs no other thread (SE-0417). Thread-safe.
final class EventLoopExecutor: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        /// Whether the loop is to run them.
        var isScheduled = false
    }

    private let loop: any EventLoop
    private let state = Mutex(State())

    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let mustSchedule = state.withLock { state in
            state.jobs.append(job)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if mustSchedule { loop.execute { self.run() } }
    }

    /// Runs what is waiting; what that adds comes behind what the loop has to do otherwise.
    private func run() {
        let executor = asUnownedTaskExecutor()
        var jobs: [UnownedJob] = []
        state.withLock { swap(&$0.jobs, &jobs) }
        for job in jobs { job.runSynchronously(on: executor) }
        let isLeft = state.withLock { state in
            state.isScheduled = !state.jobs.isEmpty
            return state.isScheduled
        }
        if isLeft { loop.execute { self.run() } }
    }
}
