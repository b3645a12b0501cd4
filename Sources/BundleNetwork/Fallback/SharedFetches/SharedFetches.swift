import BundleStore
import Synchronization

/// The fetches under way. Requests for the same thing share one, unless its responses turned out lately to be of use to
/// one request only: then waiting for them would only cost time. Thread-safe.
final class SharedFetches: Sendable {
    /// How long such a key is remembered.
    fileprivate static let memory: Duration = .seconds(60)
    /// How many are remembered at most.
    fileprivate static let maximumUnsharedCount = 4_096

    fileprivate struct State {
        var shared: [String: SharedFetch] = [:]
        var all: [ObjectIdentifier: SharedFetch] = [:]
        var unshared: [String: Duration] = [:]
        var isSweeping = false
    }

    private let limits: FetchLimits
    private let clock: any Clock<Duration>
    private let elapsed: @Sendable () -> Duration
    private let state = Mutex(State())

    /// - Parameter clock: The clock by which the table is searched for fetches that take too long.
    init(_ limits: FetchLimits, clock: any Clock<Duration>) {
        self.limits = limits
        self.clock = clock
        elapsed = clock.stopwatch()
    }

    /// Joins the fetch under way for a key, or makes one, which the caller has to start.
    ///
    /// - Parameter mayJoin: False to begin another fetch in any case, which nobody joins.
    func join(_ key: String, mayJoin: Bool) -> FetchWaiter {
        let (waiter, mustSweep) = state.withLock { state -> (FetchWaiter, Bool) in
            let mayJoin = mayJoin && !state.isUnshared(key, at: elapsed())
            if mayJoin, let waiter = state.shared[key]?.waiter() { return (waiter, false) }
            let waiter = SharedFetch.begun(elapsed: elapsed)
            if mayJoin { state.shared[key] = waiter.sharedFetch }
            state.all[ObjectIdentifier(waiter.sharedFetch)] = waiter.sharedFetch
            defer { state.isSweeping = true }
            return (waiter, !state.isSweeping)
        }
        if mustSweep { sweep() }
        return waiter
    }

    /// Joins the fetch under way for a key if its body has arrived up to an offset, or nearly.
    func joining(_ key: String, at offset: Int) -> FetchWaiter? {
        state.withLock { state in
            guard let sharedFetch = state.shared[key], let byteCount = sharedFetch.byteCount,
                offset <= byteCount + Self.near
            else { return nil }
            return sharedFetch.waiter()
        }
    }

    /// How many bytes are worth waiting for, rather than asking the origin again.
    private static let near = 1 << 20

    /// Takes the outcome of a fetch: further requests join it only to read its body.
    func note(_ outcome: SharedFetch.Outcome, _ key: String, _ sharedFetch: SharedFetch) {
        state.withLock { state in
            switch outcome {
            case .arriving: return state.unshared[key] = nil
            case .kept: state.unshared[key] = nil
            case .passing, .unshared: state.remember(key, at: elapsed())
            case .found, .failed: break
            }
            state.close(key, sharedFetch)
        }
    }

    /// The fetch has ended.
    func remove(_ key: String, _ sharedFetch: SharedFetch) {
        state.withLock { state in
            state.close(key, sharedFetch)
            state.all[ObjectIdentifier(sharedFetch)] = nil
        }
    }

    /// Whether the responses for a key turned out lately to be of use to one request only.
    func isUnshared(_ key: String) -> Bool { state.withLock { $0.isUnshared(key, at: elapsed()) } }

    /// A response for a key was of use to all.
    func share(_ key: String) { state.withLock { $0.unshared[key] = nil } }

    /// The number of requests that wait for fetches, or read their bodies.
    var waiterCount: Int { state.withLock { $0.all.values.reduce(0) { $0 + $1.waiterCount } } }

    /// Whether no fetch is under way, those included that nobody waits for.
    var isEmpty: Bool { state.withLock { $0.all.isEmpty } }

    /// Ends what takes too long, once a second, as long as there are fetches.
    private func sweep() {
        Task { [self] in
            repeat { try? await clock.sleep(for: .seconds(1)) } while endOverdue()
        }
    }

    /// Returns false when nothing is left.
    private func endOverdue() -> Bool {
        let (sharedFetches, isLeft) = state.withLock { state in
            state.isSweeping = !state.all.isEmpty
            return (Array(state.all.values), state.isSweeping)
        }
        for sharedFetch in sharedFetches {
            if sharedFetch.age > limits.total {
                sharedFetch.cancel()
            } else if let time = sharedFetch.unattendedTime, time > limits.unattended {
                sharedFetch.cancelIfUnattended()
            }
        }
        return isLeft
    }
}

extension SharedFetches.State {
    fileprivate mutating func close(_ key: String, _ sharedFetch: SharedFetch) {
        if shared[key] === sharedFetch { shared[key] = nil }
    }

    fileprivate mutating func remember(_ key: String, at time: Duration) {
        if unshared.count >= SharedFetches.maximumUnsharedCount { unshared = [:] }
        unshared[key] = time + SharedFetches.memory
    }

    fileprivate mutating func isUnshared(_ key: String, at time: Duration) -> Bool {
        guard let end = unshared[key] else { return false }
        guard end <= time else { return true }
        unshared[key] = nil
        return false
    }
}
