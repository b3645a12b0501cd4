import BundleStore
import HTTPCore
import Synchronization

/// A fetch under way, which serves any number of requests. Each holds a ``FetchWaiter``; without any the fetch ends,
/// unless it is unattended on purpose: it revalidates, or little is missing of a body that it stores. Thread-safe.
final class SharedFetch: Sendable {
    /// What a fetch has come to.
    indirect enum Outcome: Sendable {
        /// A response that is in the cache now; `isConfirmed` when the origin confirmed the stored one.
        case kept(CachedVariant, status: Int, isConfirmed: Bool)
        /// A fresh response that another fetch has stored in the meantime.
        case found(CachedVariant)
        /// A response whose body is arriving or has arrived, to be read by all whose requests select it.
        case arriving(OriginExchange, SharedBody)
        /// A response that isn't to be stored, for the request that began the fetch alone.
        case passing(OriginResponse)
        /// The same for all others.
        case unshared
        /// No response.
        case failed(BundleError)
    }

    fileprivate struct State {
        var outcome: Outcome?
        /// The response for the first waiter; taken once.
        var passing: OriginResponse?
        var waiters: [UInt64: CheckedContinuation<Outcome?, Never>] = [:]
        /// Those whose time was over before they waited.
        var overdue: Set<UInt64> = []
        var lastNumber: UInt64 = 0
        /// The request that begins the fetch has the first.
        var waiterCount = 1
        /// Whether the request that began the fetch holds its waiter.
        var isFirstHeld = true
        var task: Task<Void, Never>?
        var onOutcome: (@Sendable (Outcome) -> Void)?
        var isCancelled = false
        var isClosed = false
        /// Whether the fetch may go on without waiters: asked when the last one is returned, and whenever more has arrived.
        var mayGoOn: (@Sendable () -> Bool)?
        var unattendedSince: Duration?
    }

    private let startedAt: Duration
    private let elapsed: @Sendable () -> Duration
    private let state = Mutex(State())

    private init(elapsed: @escaping @Sendable () -> Duration) {
        self.elapsed = elapsed
        startedAt = elapsed()
    }

    /// A fetch that has to be started, as the waiter of the request that begins it.
    ///
    /// - Parameter elapsed: The time since any fixed moment.
    static func begun(elapsed: @escaping @Sendable () -> Duration) -> FetchWaiter {
        FetchWaiter(SharedFetch(elapsed: elapsed), isFirst: true)
    }

    /// The time since the beginning.
    var age: Duration { elapsed() - startedAt }

    /// Runs the fetch in a task of its own.
    ///
    /// - Parameters:
    ///   - executor: Where the task runs best; nil for anywhere.
    ///   - onOutcome: Called once with the outcome, before any request gets it.
    func start(
        on executor: (any TaskExecutor)? = nil,
        _ operation: @escaping @Sendable () async -> Void,
        onOutcome: @escaping @Sendable (Outcome) -> Void
    ) {
        let task = state.withLock { state in
            state.onOutcome = onOutcome
            let task = Task(executorPreference: executor) { await operation() }
            state.task = task
            return state.isCancelled ? task : nil
        }
        task?.cancel()
    }

    /// Ends the fetch: its task is cancelled, and no request joins it any more.
    func cancel() { cancel { _ in true } }

    /// Ends the fetch, unless a request has joined it meanwhile.
    func cancelIfUnattended() { cancel { $0.waiterCount == 0 } }

    /// Closes the fetch together with the check: a request that joined it after that would get a body that breaks off.
    private func cancel(if mayCancel: (State) -> Bool) {
        let task = state.withLock { state -> Task<Void, Never>? in
            guard mayCancel(state) else { return nil }
            (state.isCancelled, state.isClosed) = (true, true)
            return state.task
        }
        task?.cancel()
    }

    /// A waiter for a further request; nil when none may join any more.
    func waiter() -> FetchWaiter? {
        let isJoined = state.withLock { state in
            guard !state.isClosed else { return false }
            state.waiterCount += 1
            state.unattendedSince = nil
            return true
        }
        return isJoined ? FetchWaiter(self, isFirst: false) : nil
    }

    /// How many bytes of the body have arrived; nil when none are passed on yet.
    var byteCount: Int? {
        guard case .arriving(_, let body) = state.withLock({ $0.outcome }) else { return nil }
        return body.byteCount
    }

    /// The number of requests that hold waiters.
    var waiterCount: Int { state.withLock { $0.waiterCount } }

    /// Whether no further request may join.
    var isClosed: Bool {
        get { state.withLock { $0.isClosed } }
        set { state.withLock { $0.isClosed = newValue } }
    }

    /// For how long no request has held a waiter; nil while one does.
    var unattendedTime: Duration? { state.withLock { $0.unattendedSince }.map { elapsed() - $0 } }

    /// Allows the fetch to go on without waiters if `mayGoOn` says so when the last one is returned, and after that.
    func goOn(if mayGoOn: @escaping @Sendable () -> Bool) {
        let isUnattended = state.withLock { state in
            state.mayGoOn = mayGoOn
            return state.waiterCount == 0
        }
        if isUnattended, !mayGoOn() { cancelIfUnattended() }
    }

    /// Ends the fetch if it goes on without waiters and may not any more, such as on a link that has become metered meanwhile.
    func endUnlessWanted() {
        let mayGoOn = state.withLock { $0.waiterCount == 0 ? $0.mayGoOn : nil }
        if let mayGoOn, !mayGoOn() { cancelIfUnattended() }
    }

    /// Tells all requests the outcome; the first call counts.
    func resolve(_ outcome: Outcome) {
        let onOutcome = state.withLock { state in
            defer { state.onOutcome = nil }
            return state.outcome == nil ? state.onOutcome : nil
        }
        onOutcome?(outcome)
        let waiters = state.withLock { $0.resolve(outcome) }
        for waiter in waiters { waiter.resume(returning: outcome.isPassing ? .unshared : outcome) }
    }

    /// Waits for the outcome.
    ///
    /// - Parameter limit: How long at most; nil for any time.
    /// - Returns: Nil when the time is over, or the task is cancelled, before.
    func wait(_ limit: Duration?, _ clock: any Clock<Duration>) async -> Outcome? {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let timer = limit.map { limit in
            Task { [self] in
                try await clock.sleep(for: limit)
                giveUp(number)
            }
        }
        defer { timer?.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { state in
                    if let outcome = state.outcome { return continuation.resume(returning: outcome) }
                    if state.overdue.remove(number) != nil { return continuation.resume(returning: nil) }
                    state.waiters[number] = continuation
                }
            }
        } onCancel: {
            giveUp(number)
        }
    }

    private func giveUp(_ number: UInt64) {
        let waiter = state.withLock { state in
            let waiter = state.waiters.removeValue(forKey: number)
            if waiter == nil, state.outcome == nil { state.overdue.insert(number) }
            return waiter
        }
        waiter?.resume(returning: nil)
    }

    /// The response that only the first waiter gets; once.
    func takePassing() -> OriginResponse? { state.withLock { $0.passing.take() } }

    func giveBack(isFirst: Bool) {
        let (mayGoOn, isUnattended) = state.withLock { state in
            state.waiterCount -= 1
            // A response that nobody reads any more keeps its connection open.
            if isFirst { (state.isFirstHeld, state.passing) = (false, nil) }
            if state.waiterCount == 0 { state.unattendedSince = elapsed() }
            return (state.mayGoOn, state.waiterCount == 0)
        }
        if isUnattended, mayGoOn?() != true { cancelIfUnattended() }
    }
}

extension SharedFetch.State {
    /// Returns those who wait.
    fileprivate mutating func resolve(_ outcome: SharedFetch.Outcome) -> [CheckedContinuation<
        SharedFetch.Outcome?, Never
    >] {
        guard self.outcome == nil else { return [] }
        if case .passing(let response) = outcome {
            self.outcome = .unshared
            // A response that nobody reads would keep its connection open.
            if isFirstHeld { passing = response }
        } else {
            self.outcome = outcome
        }
        defer { waiters = [:] }
        return Array(waiters.values)
    }
}

extension SharedFetch.Outcome {
    fileprivate var isPassing: Bool { if case .passing = self { true } else { false } }
}

/// The part of one request in a ``SharedFetch``, which it leaves when the waiter is released. Thread-safe.
final class FetchWaiter: Sendable {
    let sharedFetch: SharedFetch
    /// Whether the request began the fetch.
    let isFirst: Bool

    fileprivate init(_ sharedFetch: SharedFetch, isFirst: Bool) {
        self.sharedFetch = sharedFetch
        self.isFirst = isFirst
    }

    deinit { sharedFetch.giveBack(isFirst: isFirst) }

    /// Waits for the outcome.
    ///
    /// - Parameter limit: How long at most; nil for any time.
    /// - Returns: Nil when the time is over, or the task is cancelled, before.
    func outcome(within limit: Duration?, _ clock: any Clock<Duration>) async -> SharedFetch.Outcome? {
        let outcome = await sharedFetch.wait(limit, clock)
        guard isFirst, case .unshared = outcome, let response = sharedFetch.takePassing() else { return outcome }
        return .passing(response)
    }
}
