import Dispatch
import Synchronization

/// Work in a task that a thread of C's waits for. Thread-safe.
final class Waiting<Result: Sendable>: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var isCancelled = false
        var result: Swift.Result<Result, any Error>?
    }

    private let state = Mutex(State())
    private let end = DispatchSemaphore(value: 0)

    /// Runs work and waits for its end.
    ///
    /// - Parameter work: It may cancel itself, also from other threads.
    /// - Throws: What the work throws.
    static func run(_ work: @escaping @Sendable (Waiting) async throws -> Result) throws -> Result {
        try Waiting().wait(for: work)
    }

    /// Cancels the work.
    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }

    private func wait(for work: @escaping @Sendable (Waiting) async throws -> Result) throws -> Result {
        let task = Task.detached { [self] in
            let result: Swift.Result<Result, any Error>
            do { result = .success(try await work(self)) } catch { result = .failure(error) }
            state.withLock { $0.result = result }
            end.signal()
        }
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
        end.wait()
        guard let result = state.withLock({ $0.result }) else { throw CancellationError() }
        return try result.get()
    }
}
