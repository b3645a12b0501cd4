import Synchronization

/// State under a lock that tasks can wait on: a condition variable for `async` code, so that no test ever polls.
///
/// Safe to use from any number of tasks and threads at once.
package final class Monitor<State: Sendable>: Sendable {
    private struct Guarded {
        var state: State
        var nextWaiter = 0
        var waiters: [Int: Waiter] = [:]
    }

    private struct Waiter: Sendable {
        /// Returns what resumes the waiting task when the state meets its condition. To be called without the lock, which
        /// the task's cancellation takes while it holds a lock of the task; resuming takes that one, too.
        let resumption: @Sendable (State) -> (@Sendable () -> Void)?
        let cancel: @Sendable () -> Void
    }

    private let guarded: Mutex<Guarded>

    /// Starts with `state`.
    package init(_ state: State) {
        guarded = Mutex(Guarded(state: state))
    }

    /// The current state.
    package var state: State { guarded.withLock { $0.state } }

    /// Changes the state and wakes the tasks whose condition it then meets. `change` must not wait or use the monitor.
    package func update<Result: Sendable>(_ change: @Sendable (inout State) throws -> Result) rethrows -> Result {
        let (result, resumptions) = try guarded.withLock { guarded in
            let result = try change(&guarded.state)
            let resumptions = guarded.waiters.compactMapValues { $0.resumption(guarded.state) }
            for id in resumptions.keys { guarded.waiters[id] = nil }
            return (result, resumptions)
        }
        for resume in resumptions.values { resume() }
        return result
    }

    /// Waits until `condition` returns a value, and returns it; doesn't wait if it already does.
    ///
    /// - Parameter condition: Called with each new state, under the lock.
    /// - Throws: `CancellationError` when the task is cancelled.
    package func wait<Value: Sendable>(until condition: @escaping @Sendable (State) -> Value?) async throws -> Value {
        let id = guarded.withLock { guarded in
            guarded.nextWaiter += 1
            return guarded.nextWaiter
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enqueue(id, continuation, condition)
            }
        } onCancel: {
            guarded.withLock { $0.waiters.removeValue(forKey: id) }?.cancel()
        }
    }

    /// Waits as long as `condition` is true; doesn't wait if it isn't.
    ///
    /// - Parameter condition: Called with each new state, under the lock.
    /// - Throws: `CancellationError` when the task is cancelled.
    package func wait(while condition: @escaping @Sendable (State) -> Bool) async throws {
        try await wait { state in condition(state) ? nil : () }
    }

    /// Like ``wait(until:)``, with a time limit, for conditions that depend on something outside the test.
    ///
    /// - Throws: ``DeadlineExceeded`` when `deadline` has passed, naming `what`; `CancellationError` when the task is
    ///   cancelled.
    package func wait<Value: Sendable>(
        for what: String,
        deadline: Duration,
        until condition: @escaping @Sendable (State) -> Value?
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await self.wait(until: condition) }
            // A limit, not a pause: it is cancelled as soon as the condition holds.
            group.addTask {
                try await Task.sleep(for: deadline)
                throw DeadlineExceeded(what: what, deadline: deadline)
            }
            guard let value = try await group.next() else { throw CancellationError() }
            return value
        }
    }

    private func enqueue<Value: Sendable>(
        _ id: Int,
        _ continuation: CheckedContinuation<Value, any Error>,
        _ condition: @escaping @Sendable (State) -> Value?
    ) {
        let waiter = Waiter(
            resumption: { state in
                guard let value = condition(state) else { return nil }
                return { continuation.resume(returning: value) }
            },
            cancel: { continuation.resume(throwing: CancellationError()) }
        )
        let resume = guarded.withLock { guarded -> (@Sendable () -> Void)? in
            // Cancelled before it got here: the cancellation handler found no waiter to wake.
            if Task.isCancelled { return waiter.cancel }
            let resume = waiter.resumption(guarded.state)
            if resume == nil { guarded.waiters[id] = waiter }
            return resume
        }
        resume?()
    }
}

/// A latch that a test opens once: callers that come before wait.
///
/// Safe to use from any number of tasks at once.
package final class Latch: Sendable {
    private struct State: Sendable {
        var isOpen = false
        var arrivals = 0
    }

    private let monitor = Monitor(State())

    /// Makes a closed latch.
    package init() {}

    /// Releases all waiting and all later callers.
    package func open() {
        monitor.update { $0.isOpen = true }
    }

    /// Waits until the latch is open.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    package func wait() async throws {
        monitor.update { $0.arrivals += 1 }
        try await monitor.wait(while: { !$0.isOpen })
    }

    /// Waits until `count` callers have arrived at the latch, whether or not they still wait.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    package func waitForArrivals(_ count: Int = 1) async throws {
        try await monitor.wait(while: { $0.arrivals < count })
    }
}

/// Waits until `condition` holds, for a state that tells nobody when it changes. Other tasks run meanwhile.
///
/// - Parameters:
///   - what: What is waited for, as the error says it; nil for the line.
///   - pause: For how long other programs have the processor between two looks; nil to look as often as possible.
/// - Throws: ``DeadlineExceeded`` when the condition doesn't hold within two minutes; what `condition` throws;
///   `CancellationError` when the task is cancelled in a pause.
package func eventually(
    _ what: String? = nil,
    every pause: Duration? = nil,
    fileID: String = #fileID,
    line: Int = #line,
    isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async throws {
    let limit = Duration.seconds(120)
    let end = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < end else {
            throw DeadlineExceeded(what: what ?? "the condition at \(fileID):\(line)", deadline: limit)
        }
        if let pause { try await Task.sleep(for: pause) } else { await Task.yield() }
    }
}

/// Something that a test waited for didn't happen in time.
package struct DeadlineExceeded: Error, CustomStringConvertible {
    /// What was waited for.
    package let what: String
    /// The time limit.
    package let deadline: Duration

    /// One line for the test's report.
    package var description: String { "waited \(deadline) in vain for \(what)" }
}
