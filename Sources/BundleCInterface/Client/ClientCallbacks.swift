import BundleStore
import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The work of a client that calls the program, so that its end can be awaited. Thread-safe.
final class ClientCallbacks: Sendable {
    private struct Work {
        var cancel: (@Sendable () -> Void)?
        /// The work whose callbacks wait for this one.
        let awaiting: Set<Int>
    }

    /// Who waits for the end of all work.
    private struct Waiter {
        /// The work that can't end before.
        let exempt: Set<Int>
        /// The work of the callbacks on this thread. Its callbacks on other threads are waited for.
        let own: Set<Int>
        let thread: UInt
        let end: DispatchSemaphore
    }

    private struct State {
        var isClosed = false
        var lastNumber = 0
        var open: [Int: Work] = [:]
        /// What calls the program now, and on which thread.
        var calls: [(number: Int, thread: UInt)] = []
        var waiters: [Waiter] = []

        func isOver(for waiter: Waiter) -> Bool {
            waiter.exempt.isSuperset(of: open.keys)
                && !calls.contains { waiter.own.contains($0.number) && $0.thread != waiter.thread }
        }

        /// Those who needn't wait any longer.
        mutating func released() -> [DispatchSemaphore] {
            let released = waiters.filter(isOver)
            waiters.removeAll { waiter in released.contains { $0.end === waiter.end } }
            return released.map(\.end)
        }

        /// The work that can't end before a callback on this thread has returned.
        func work(on thread: UInt) -> Set<Int> {
            calls.filter { $0.thread == thread }
                .reduce(into: []) { work, call in
                    work.formUnion((open[call.number]?.awaiting ?? []).union([call.number]))
                }
        }
    }

    private let state = Mutex(State())

    /// What is thrown after ``close()``.
    static var closed: BundleError {
        BundleError(.storeUnavailable, "the client of the store has been closed; open another one")
    }

    /// Whether ``close()`` was called.
    var isClosed: Bool { state.withLock(\.isClosed) }

    /// Begins work that calls the program; ``CallbackWork/end()`` ends it.
    ///
    /// - Parameter isAwaited: Whether the calling thread waits for it.
    /// - Throws: ``closed``.
    func begin(isAwaited: Bool = false) throws(BundleError) -> CallbackWork {
        let thread = Self.thread
        let number = state.withLock { state -> Int? in
            guard !state.isClosed else { return nil }
            state.lastNumber += 1
            state.open[state.lastNumber] = Work(cancel: nil, awaiting: isAwaited ? state.work(on: thread) : [])
            return state.lastNumber
        }
        guard let number else { throw Self.closed }
        return CallbackWork(number: number, callbacks: self)
    }

    /// Cancels all work. None begins any more.
    func close() {
        let cancellations = state.withLock { state in
            state.isClosed = true
            return state.open.values.compactMap(\.cancel)
        }
        for cancel in cancellations { cancel() }
    }

    /// Waits until all work has ended, except what can't end before the callback that this is called in.
    func waitForEnd() {
        let (end, thread) = (DispatchSemaphore(value: 0), Self.thread)
        let isOver = state.withLock { state in
            let own = Set(state.calls.filter { $0.thread == thread }.map(\.number))
            let waiter = Waiter(exempt: state.work(on: thread), own: own, thread: thread, end: end)
            guard !state.isOver(for: waiter) else { return true }
            state.waiters.append(waiter)
            return false
        }
        if !isOver { end.wait() }
    }

    fileprivate func setCancellation(_ number: Int, _ cancel: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            state.open[number]?.cancel = cancel
            return state.isClosed
        }
        if isLate { cancel() }
    }

    fileprivate func call<Result>(_ number: Int, _ body: () -> Result) -> Result {
        let thread = Self.thread
        state.withLock { $0.calls.append((number, thread)) }
        defer {
            let ready = state.withLock { state in
                // A callback may wait for another one on the same thread: the last one ends first.
                if let index = state.calls.lastIndex(where: { $0 == (number, thread) }) {
                    state.calls.remove(at: index)
                }
                return state.released()
            }
            for end in ready { end.signal() }
        }
        return body()
    }

    fileprivate func end(_ number: Int) {
        let ready = state.withLock { state in
            state.open[number] = nil
            return state.released()
        }
        for end in ready { end.signal() }
    }

    /// The calling thread.
    private static var thread: UInt {
        #if canImport(Darwin)
            UInt(bitPattern: pthread_self())
        #else
            UInt(pthread_self())
        #endif
    }
}

/// Work of a client that calls the program. Thread-safe.
struct CallbackWork: Sendable {
    fileprivate let number: Int
    fileprivate let callbacks: ClientCallbacks

    /// Calls the program.
    func call<Result>(_ body: () -> Result) -> Result { callbacks.call(number, body) }

    /// Has `cancel` called when the client is closed; at once when it is.
    func onClose(_ cancel: @escaping @Sendable () -> Void) { callbacks.setCancellation(number, cancel) }

    /// The program isn't called any more. Does nothing the second time.
    func end() { callbacks.end(number) }
}
