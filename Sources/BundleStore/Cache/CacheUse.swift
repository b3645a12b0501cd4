import Synchronization

/// Which stored responses have been used since eviction last came past them: the “visited” bits of SIEVE (Zhang et al.,
/// “SIEVE is Simpler than LRU”, NSDI '24) for the responses on the disk. The numbers of their rows are SIEVE's queue, so
/// that neither a hit nor a reprieve writes anything.
///
/// Thread-safe.
final class CacheUse: Sendable {
    /// How many used responses are remembered. With more all are forgotten: those that are used are noted again.
    private static let maximumCount = 1 << 18

    private struct State {
        var used: Set<Int64> = []
        var hand: Int64 = 0
    }

    private let state = Mutex(State())
    private let rounds = Atomic(0)

    /// Changes when uses were forgotten, which have to be noted again then.
    var round: Int { rounds.load(ordering: .relaxed) }

    func note(_ id: Int64) {
        state.withLock { state in
            if state.used.count >= Self.maximumCount {
                state.used = []
                rounds.add(1, ordering: .relaxed)
            }
            state.used.insert(id)
        }
    }

    /// Whether a response was used, which is forgotten.
    func take(_ id: Int64) -> Bool {
        let wasUsed = state.withLock { $0.used.remove(id) != nil }
        if wasUsed { rounds.add(1, ordering: .relaxed) }
        return wasUsed
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
    }
}
