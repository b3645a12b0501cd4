import Synchronization

/// Calls something once so many others are done. Thread-safe.
final class Countdown: Sendable {
    private struct State {
        var remaining: Int
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>
    private let onZero: @Sendable () -> Void

    /// - Parameter count: How many there are; more than zero.
    init(_ count: Int, onZero: @escaping @Sendable () -> Void) {
        state = Mutex(State(remaining: count))
        self.onZero = onZero
    }

    /// One of them is done.
    func countDown() {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>]? in
            state.remaining -= 1
            return state.remaining == 0 ? state.waiters : nil
        }
        guard let waiters else { return }
        onZero()
        for waiter in waiters { waiter.resume() }
    }

    /// Waits until all are done, also when the task is cancelled: what they use must stay for so long.
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
