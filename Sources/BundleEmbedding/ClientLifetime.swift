import BundleServing
import BundleStore
import Synchronization

/// The time until a client is closed: the work in it ends with it. While the client is suspended, it does no work that locks the store.
/// Thread-safe.
final class ClientLifetime: Sendable {
    private struct Work {
        /// Nil until it has begun.
        var cancel: (@Sendable () -> Void)?
        let locksStore: Bool
    }

    private struct State {
        var running: [Int: Work] = [:]
        var lastNumber = 0
        var isSuspended = false
        /// Those who wait until no work locks the store.
        var waiters: [CheckedContinuation<Void, Never>] = []

        var isStoreLocked: Bool { running.values.contains(where: \.locksStore) }
    }

    /// What calls are told after the end.
    static let explanation = "The client of the store has been closed."

    private let ended = Atomic(false)
    private let state = Mutex(State())

    /// Whether the client has been closed.
    var hasEnded: Bool { ended.load(ordering: .acquiring) }

    /// Whether the client is suspended.
    var isSuspended: Bool { state.withLock(\.isSuspended) }

    /// What is thrown after the end.
    static var error: BundleError {
        BundleError(.storeUnavailable, "the client of the store has been closed; make another one")
    }

    /// What is thrown while the client is suspended.
    private static var suspension: BundleError {
        BundleError(.storeUnavailable, "the client of the store is suspended; resume it first")
    }

    /// Calls `body` once the lifetime ends; at once when it has ended.
    func onEnd(_ body: @escaping @Sendable () -> Void) {
        do { _ = try add(Work(cancel: body, locksStore: false)) } catch { body() }
    }

    /// Cancels what runs.
    func end() {
        let (running, waiters) = state.withLock { state in
            ended.store(true, ordering: .releasing)
            defer { (state.running, state.waiters) = ([:], []) }
            return (state.running, state.waiters)
        }
        // Not under the lock: a cancellation handler may wait for a task that takes it.
        for work in running.values { work.cancel?() }
        for waiter in waiters { waiter.resume() }
    }

    /// Cancels what locks the store. Until ``resume()``, no work that locks it begins.
    func suspend() {
        let running = state.withLock { state in
            state.isSuspended = true
            return state.running.values.filter(\.locksStore)
        }
        for work in running { work.cancel?() }
    }

    /// Waits until no work locks the store.
    func waitForLocks() async {
        await withCheckedContinuation { waiter in
            let isLocked = state.withLock { state in
                if state.isStoreLocked { state.waiters.append(waiter) }
                return state.isStoreLocked
            }
            if !isLocked { waiter.resume() }
        }
    }

    /// Ends ``suspend()``.
    func resume() {
        state.withLock { $0.isSuspended = false }
    }

    /// Runs short work that may lock the store, on the calling thread; doesn't after the end, and while the client is suspended.
    func runLocking(_ body: () -> Void) {
        guard let number = try? add(Work(locksStore: true)) else { return }
        defer { remove(number) }
        body()
    }

    /// Runs work that ends with the lifetime, and with the calling task.
    ///
    /// - Parameters:
    ///   - executor: Where the work runs best; nil for anywhere.
    ///   - locksStore: Whether it may take locks of the store.
    /// - Throws: ``error`` when the lifetime ends before; ``/BundleModel/BundleError`` with the same code while the client is suspended, if
    ///   the work locks the store; `CancellationError` when the task is cancelled, or the client suspended, and `body` ends
    ///   without a result of its own; what `body` throws.
    func run<Result: Sendable>(
        on executor: (any TaskExecutor)? = nil,
        locksStore: Bool = false,
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        // Counted before it begins, so that it doesn't lock the store once that is suspended.
        let number = try add(Work(locksStore: locksStore))
        defer { remove(number) }
        let task = Task(executorPreference: executor, operation: body)
        begin(number, task.cancel)
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

    /// - Throws: ``error`` after the end; ``suspension``.
    private func add(_ work: Work) throws(BundleError) -> Int {
        let number = state.withLock { state -> Result<Int, BundleError> in
            guard !hasEnded else { return .failure(Self.error) }
            guard !(work.locksStore && state.isSuspended) else { return .failure(Self.suspension) }
            state.lastNumber += 1
            state.running[state.lastNumber] = work
            return .success(state.lastNumber)
        }
        return try number.get()
    }

    /// The work is cancelled at once when the lifetime has ended since, or the client has been suspended.
    private func begin(_ number: Int, _ cancel: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            guard let work = state.running[number] else { return true }
            state.running[number]?.cancel = cancel
            return work.locksStore && state.isSuspended
        }
        if isLate { cancel() }
    }

    private func remove(_ number: Int) {
        let waiters = state.withLock { state in
            state.running[number] = nil
            guard !state.isStoreLocked else { return [CheckedContinuation<Void, Never>]() }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
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
