import Synchronization

/// Bounds how many requests wait for origins to answer at once: what one holds meanwhile is many times what one that waits for
/// its turn does. Thread-safe.
final class FetchSlots: Sendable {
    /// More than origins are asked at once, so that hardly anybody waits but who asks for thousands of missing files.
    static let defaultCount = 512

    fileprivate struct State {
        var freeCount: Int
        /// By their numbers, in which they come; those that have been given up are missing.
        var waiters: [UInt64: AsyncStream<Never>.Continuation] = [:]
        var firstNumber: UInt64 = 0
        var nextNumber: UInt64 = 0
    }

    private let state: Mutex<State>

    /// - Parameter count: How many there are, at least 1.
    init(count: Int = FetchSlots.defaultCount) {
        state = Mutex(State(freeCount: max(count, 1)))
    }

    /// How many wait for one.
    var waitingCount: Int { state.withLock { $0.waiters.count } }

    /// Waits for a slot, which is the caller's until ``leave()``.
    ///
    /// - Returns: False, and there is none to leave, when the task is cancelled before.
    func enter() async -> Bool {
        guard !Task.isCancelled else { return false }
        guard let (number, turn) = state.withLock({ $0.enter() }) else { return true }
        // Ends when it is this one's turn, or the task is cancelled.
        for await _ in turn {}
        return state.withLock { $0.waiters.removeValue(forKey: number) == nil }
    }

    /// Gives a slot back, to the one that has waited longest.
    func leave() {
        state.withLock { $0.leave() }?.finish()
    }
}

extension FetchSlots.State {
    /// Returns nil when there is a slot at once.
    fileprivate mutating func enter() -> (number: UInt64, AsyncStream<Never>)? {
        guard freeCount == 0 else {
            freeCount -= 1
            return nil
        }
        let (turn, continuation) = AsyncStream<Never>.makeStream()
        defer { nextNumber += 1 }
        waiters[nextNumber] = continuation
        return (nextNumber, turn)
    }

    fileprivate mutating func leave() -> AsyncStream<Never>.Continuation? {
        while firstNumber < nextNumber {
            defer { firstNumber += 1 }
            if let waiter = waiters.removeValue(forKey: firstNumber) { return waiter }
        }
        freeCount += 1
        return nil
    }
}
