import Synchronization

/// Which stored responses have been used since eviction last came past them: the “visited” bits of SIEVE (Zhang et al.,
/// “SIEVE is Simpler than LRU”, NSDI '24) for the responses on the disk. The numbers of their rows are SIEVE's queue, so
/// that neither a hit nor a reprieve writes anything.
///
/// Thread-safe.
final class CacheUse: Sendable {
    /// How many used responses are remembered. Those beyond are evicted as if they hadn't been used.
    private static let maximumCount = 1 << 18

    private struct State {
        var used: Set<Int64> = []
        var hand: Int64 = 0
    }

    private let state = Mutex(State())
    private let rounds = Atomic(0)

    /// Changes when eviction begins again with the oldest: uses have to be noted again.
    var round: Int { rounds.load(ordering: .relaxed) }

    func note(_ id: Int64) {
        state.withLock { if $0.used.count < Self.maximumCount { $0.used.insert(id) } }
    }

    /// Whether a response was used, which is forgotten.
    func take(_ id: Int64) -> Bool {
        state.withLock { $0.used.remove(id) != nil }
    }

    /// The last row that eviction came past.
    var hand: Int64 { state.withLock { $0.hand } }

    /// Continues after a row.
    func move(to id: Int64) {
        state.withLock { $0.hand = id }
    }

    /// Begins again with the oldest.
    func beginRound() {
        state.withLock { $0.hand = 0 }
        rounds.add(1, ordering: .relaxed)
    }
}
