import Synchronization

/// Limits how many requests wait for an origin at once. Thread-safe.
package final class AsyncSemaphore: Sendable {
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

extension AsyncSemaphore.State {
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

/// A semaphore for each key, which exists as long as it is used. Thread-safe.
package final class KeyedSemaphores: Sendable {
    private struct Use {
        let semaphore: AsyncSemaphore
        var count = 0
    }

    private let permitCount: Int
    private let uses = Mutex<[String: Use]>([:])

    /// - Parameter permitCount: The number of permits for each key, at least 1.
    package init(permitCount: Int) {
        self.permitCount = permitCount
    }

    /// Waits for a permit, and runs `body` with it.
    ///
    /// - Returns: Nil when the task is cancelled before.
    package func run<Result>(_ key: String, _ body: () async -> Result?) async -> Result? {
        let semaphore = begin(key)
        defer { end(key) }
        guard await semaphore.acquire() else { return nil }
        defer { semaphore.release() }
        return await body()
    }

    private func begin(_ key: String) -> AsyncSemaphore {
        uses.withLock { uses in
            var use = uses[key] ?? Use(semaphore: AsyncSemaphore(count: permitCount))
            use.count += 1
            uses[key] = use
            return use.semaphore
        }
    }

    private func end(_ key: String) {
        uses.withLock { uses in
            guard var use = uses[key] else { return }
            use.count -= 1
            uses[key] = use.count > 0 ? use : nil
        }
    }
}
