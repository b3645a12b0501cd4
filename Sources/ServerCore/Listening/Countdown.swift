import Synchronization

/// A latch that calls a closure once a number of tasks are done. Thread-safe.
final class Countdown: Sendable {
    private struct State {
        var remaining: Int
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>
    private let onZero: @Sendable () -> Void

    /// - Parameter count: The number of tasks; more than zero.
    init(_ count: Int, onZero: @escaping @Sendable () -> Void) {
        state = Mutex(State(remaining: count))
        self.onZero = onZero
    }

    /// Marks one task as done.
    func countDown() {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>]? in
            state.remaining -= 1
            return state.remaining == 0 ? state.waiters : nil
        }
        guard let waiters else { return }
        onZero()
        for waiter in waiters { waiter.resume() }
    }

    /// Waits until all are done, even if the calling task is cancelled: what they use must stay valid until then.
    func wait() async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if state.remaining > 0 { state.waiters.append(continuation) }
                return state.remaining <= 0
            }
            if isDone { continuation.resume() }
        }
    }
}
