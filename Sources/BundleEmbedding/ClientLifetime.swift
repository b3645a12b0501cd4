import BundleServing
import BundleStore
import Synchronization

/// The time until a client is closed: the work in it ends with it. Thread-safe.
final class ClientLifetime: Sendable {
    private struct State {
        var running: [Int: @Sendable () -> Void] = [:]
        var lastNumber = 0
    }

    /// What calls are told after the end.
    static let explanation = "The client of the store has been closed."

    private let ended = Atomic(false)
    private let state = Mutex(State())

    /// Whether the client has been closed.
    var hasEnded: Bool { ended.load(ordering: .acquiring) }

    /// What is thrown after the end.
    static var error: BundleError {
        BundleError(.storeUnavailable, "the client of the store has been closed; make another one")
    }

    /// Calls `body` once the lifetime ends; at once when it has ended.
    func onEnd(_ body: @escaping @Sendable () -> Void) {
        if add(body) == nil { body() }
    }

    /// Cancels what runs.
    func end() {
        let running = state.withLock { state in
            ended.store(true, ordering: .releasing)
            defer { state.running = [:] }
            return state.running
        }
        // Not under the lock: a cancellation handler may wait for a task that takes it.
        for cancel in running.values { cancel() }
    }

    /// Runs work that ends with the lifetime, and with the calling task.
    ///
    /// - Parameter executor: Where the work runs best; nil for anywhere.
    /// - Throws: ``error`` when the lifetime ends before; `CancellationError` when the task is cancelled and `body` ends
    ///   without a result of its own; what `body` throws.
    func run<Result: Sendable>(
        on executor: (any TaskExecutor)? = nil,
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        let task = Task(executorPreference: executor, operation: body)
        guard let number = add(task.cancel) else {
            task.cancel()
            throw Self.error
        }
        defer { remove(number) }
        do {
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch {
            guard !hasEnded else { throw Self.error }
            try Task.checkCancellation()
            throw error
        }
    }

    /// A body that can be read until the end of the lifetime.
    ///
    /// - Parameter owner: Kept until nobody reads the body any more: what is released last ends the lifetime.
    func limiting(_ body: BodyStream, keeping owner: any Sendable & AnyObject) -> BodyStream {
        BodyStream(LimitedBody(body: body, lifetime: self, owner: owner), trailers: { body.trailers })
    }

    /// Nil after the end.
    fileprivate func add(_ cancel: @escaping @Sendable () -> Void) -> Int? {
        state.withLock { state in
            guard !hasEnded else { return nil }
            state.lastNumber += 1
            state.running[state.lastNumber] = cancel
            return state.lastNumber
        }
    }

    fileprivate func remove(_ number: Int) {
        state.withLock { state in state.running[number] = nil }
    }
}

/// The chunks of a body while the lifetime lasts.
private struct LimitedBody: AsyncSequence, Sendable {
    typealias Element = [UInt8]

    let body: BodyStream
    let lifetime: ClientLifetime
    let owner: any Sendable & AnyObject

    func makeAsyncIterator() -> Iterator {
        Iterator(chunks: body.makeAsyncIterator(), lifetime: lifetime, owner: owner)
    }

    struct Iterator: AsyncIteratorProtocol {
        var chunks: BodyStream.AsyncIterator
        let lifetime: ClientLifetime
        let owner: any Sendable & AnyObject

        mutating func next() async throws -> [UInt8]? {
            guard !lifetime.hasEnded else { throw ClientLifetime.error }
            return try await chunks.next()
        }
    }
}
