import HTTPTypes
import OfflineBundles

/// One task on its way: tells it what the layers respond, until it ends or is stopped.
@MainActor
final class SchemeLoad {
    private let task: any SchemeTask
    private let onEnd: @MainActor () -> Void
    private var state = SchemeTaskState()
    private var work: Task<Void, Never>?

    init(_ task: any SchemeTask, onEnd: @escaping @MainActor () -> Void) {
        self.task = task
        self.onEnd = onEnd
    }

    /// Waits off the main thread, and tells the task on it. A chunk is read once the one before has been taken.
    func run(_ respond: @escaping @Sendable () async throws -> ServedResponse) {
        work = Task.detached {
            do {
                let response = try await respond()
                await self.receive(response.head)
                for body in try response.bodies() {
                    for try await chunk in body where !chunk.isEmpty {
                        try Task.checkCancellation()
                        await self.receive(chunk)
                    }
                }
                await self.finish()
            } catch {
                await self.fail(error as? SchemeFailure ?? .brokenOff(error))
            }
        }
    }

    /// Nothing is told after this.
    func stop() {
        _ = state.take(.stop)
        work?.cancel()
    }

    func fail(_ failure: SchemeFailure) {
        guard state.take(.fail) else { return }
        // The task may start another within this call.
        onEnd()
        task.didFail(failure)
    }

    private func receive(_ head: HTTPResponse) {
        if state.take(.head) { task.didReceive(head) }
    }

    private func receive(_ chunk: [UInt8]) {
        if state.take(.data) { task.didReceive(chunk) }
    }

    private func finish() {
        guard state.take(.finish) else { return }
        onEnd()
        task.didFinish()
    }
}
