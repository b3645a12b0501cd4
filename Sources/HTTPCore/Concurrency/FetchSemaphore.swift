import Synchronization

/// Limits how many requests wait for an origin at once. Thread-safe.
package final class FetchSemaphore: Sendable {
    fileprivate struct State {
        var freeCount: Int
        /// By number, in the order of arrival; those that gave up are missing.
        var waiters: [UInt64: AsyncStream<Never>.Continuation] = [:]
        var firstNumber: UInt64 = 0
        var nextNumber: UInt64 = 0
    }

    private let state: Mutex<State>

    /// - Parameter count: The number of permits, at least 1.
    package init(count: Int) {
        state = Mutex(State(freeCount: max(count, 1)))
    }

    /// The number of callers that wait for a permit.
    package var waitingCount: Int { state.withLock { $0.waiters.count } }

    /// Waits for a permit, which the caller holds until it calls ``release()``.
    ///
    /// - Returns: False, without a permit, when the task is cancelled before.
    package func acquire() async -> Bool {
        guard !Task.isCancelled else { return false }
        guard let (number, turn) = state.withLock({ $0.acquire() }) else { return true }
        // Ends when a permit is free or the task is cancelled.
        for await _ in turn {}
        return state.withLock { $0.waiters.removeValue(forKey: number) == nil }
    }

    /// Returns a permit. The caller that has waited longest gets it.
    package func release() {
        state.withLock { $0.release() }?.finish()
    }
}

extension FetchSemaphore.State {
    /// Returns nil when a permit is free.
    fileprivate mutating func acquire() -> (number: UInt64, AsyncStream<Never>)? {
        guard freeCount == 0 else {
            freeCount -= 1
            return nil
        }
        let (turn, continuation) = AsyncStream<Never>.makeStream()
        defer { nextNumber += 1 }
        waiters[nextNumber] = continuation
        return (nextNumber, turn)
    }

    fileprivate mutating func release() -> AsyncStream<Never>.Continuation? {
        while firstNumber < nextNumber {
            defer { firstNumber += 1 }
            if let waiter = waiters.removeValue(forKey: firstNumber) { return waiter }
        }
        freeCount += 1
        return nil
    }
}
