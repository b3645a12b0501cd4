import GRDB
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

    /// Removes the oldest responses that haven't been used until the rest are within the limits, and the store is within
    /// its quota. Reads as many rows as it comes past.
    func evict(
        beyond limits: CacheLimits,
        _ state: inout CacheState,
        in database: Database
    ) throws -> RemovedResponses {
        var removed = RemovedResponses()
        var sums = try state.repairSums(in: database)
        var roundCount = 0
        while limits.areExceeded(count: sums.count, byteCount: sums.byteCount), roundCount < 3 {
            let rows = try Int64.fetchAll(
                database.cachedStatement(sql: "SELECT id FROM cachedResponse WHERE id > ? ORDER BY id LIMIT 64"),
                arguments: [hand]
            )
            if rows.isEmpty {
                beginRound()
                roundCount += 1
            }
            for id in rows where limits.areExceeded(count: sums.count, byteCount: sums.byteCount) {
                move(to: id)
                guard !take(id), let one = try CachedResponseTables.remove(id, in: database) else { continue }
                removed.add(one)
                sums = (sums.count - 1, sums.byteCount - one.byteCount)
            }
        }
        return removed
    }

    /// Whether a response was used, which is forgotten.
    private func take(_ id: Int64) -> Bool {
        let wasUsed = state.withLock { $0.used.remove(id) != nil }
        if wasUsed { rounds.add(1, ordering: .relaxed) }
        return wasUsed
    }

    /// The last row that eviction came past.
    private var hand: Int64 { state.withLock { $0.hand } }

    /// Continues after a row.
    private func move(to id: Int64) {
        state.withLock { $0.hand = id }
    }

    /// Begins again with the oldest.
    private func beginRound() {
        state.withLock { $0.hand = 0 }
    }
}

/// How much a store keeps of what comes from the network. What hasn't been used for longest is dropped first. A value
/// type; safe to share between threads.
public struct CacheLimits: Sendable, Hashable {
    /// What each response counts besides its body, in bytes: its metadata and its place in the catalog.
    public static let overheadByteCount: Int64 = 512

    /// The largest number of responses; 0 or more. Default: as many as ``maximumByteCount`` allows.
    public var maximumCount = Int.max
    /// The largest number of bytes on the disk: the bodies, and ``overheadByteCount`` for each response; 0 or more.
    public var maximumByteCount: Int64

    /// - Parameter maximumByteCount: The largest number of bytes on the disk. Default: 512 MiB.
    public init(maximumByteCount: Int64 = 512 << 20) {
        self.maximumByteCount = max(maximumByteCount, 0)
    }

    /// Whether responses exceed the limits.
    func areExceeded(count: Int64, byteCount: Int64) -> Bool {
        let overhead = count.multipliedReportingOverflow(by: Self.overheadByteCount)
        let total = overhead.partialValue.addingReportingOverflow(byteCount)
        return count > Int64(clamping: maximumCount) || overhead.overflow || total.overflow
            || total.partialValue > maximumByteCount
    }
}
