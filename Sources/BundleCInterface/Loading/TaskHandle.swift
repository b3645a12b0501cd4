/// What an `ob_task` is. Thread-safe.
final class TaskHandle: Sendable {
    private let task: Task<Void, Never>

    /// Begins work.
    init(_ work: @escaping @Sendable () async -> Void) {
        task = Task.detached { await work() }
    }

    func cancel() { task.cancel() }
}
