import Foundation
import GRDB
import Synchronization

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

extension Catalog {
    /// What was removed. The rows may have been damaged, so nothing else is read from them.
    struct RemovedResponses {
        var count = 0
        var byteCount: Int64 = 0
        /// The names of files with bodies.
        var files: [String] = []
    }

    /// Removes the responses of a bundle, or all of them.
    func removeCachedResponses(of bundle: BundleName?, noting changes: CacheChanges) throws -> RemovedResponses {
        try changing(changes) { database, state in
            let arguments: StatementArguments = [bundle?.string, bundle?.string]
            var removed = RemovedResponses()
            let rows = "FROM cachedResponse WHERE ? IS NULL OR bundle = ?"
            let bodies = try Row.fetchCursor(database, sql: "SELECT byteCount \(rows)", arguments: arguments)
            while let row = try bodies.next() {
                removed.count += 1
                removed.byteCount &+= Self.bodyByteCount(row)
            }
            removed.files = try String.fetchAll(
                database,
                sql: "SELECT file FROM cachedBody WHERE file IS NOT NULL AND id >> 7 IN (SELECT id \(rows))",
                arguments: arguments
            )
            try database.execute(sql: "DELETE \(rows)", arguments: arguments)
            // What was fetched ahead is fetched again.
            try database.execute(sql: "DELETE FROM precache WHERE ? IS NULL OR bundle = ?", arguments: arguments)
            if removed.count > 0 { state.counters.removals += 1 }
            return removed
        }
    }

    /// Removes responses that were fetched under versions that aren't active any more. Their keys have the version, so
    /// nothing finds them, however many there are.
    ///
    /// - Parameter limit: How many are removed at most, in one transaction.
    func removeOutdatedResponses(limit: Int) throws -> RemovedResponses {
        guard try read({ try Self.outdatedResponses(limit: 1, in: $0) }).first != nil else { return RemovedResponses() }
        return try write { database in
            var state = try CacheState(in: database)
            // Before a trigger makes numbers of what is none.
            _ = try state.repairSums(in: database)
            var removed = RemovedResponses()
            for id in try Self.outdatedResponses(limit: limit, in: database) {
                if let one = try Self.remove(id, in: database) { removed.add(one) }
            }
            return removed
        }
    }

    /// Reads only places in an index, whatever is stored under active versions.
    private static func outdatedResponses(limit: Int, in database: Database) throws -> [Int64] {
        let active = try Row.fetchAll(
            database,
            sql: "SELECT bundle.name AS name, version FROM bundle JOIN release ON release.id = bundle.active"
        )
        var outdated: [Int64] = []
        for row in active {
            guard let name = row.text("name"), let version = row.text("version") else { continue }
            for comparison in ["<", ">"] where outdated.count < limit {
                outdated += try Int64.fetchAll(
                    database,
                    sql: "SELECT id FROM cachedResponse WHERE bundle = ? AND version \(comparison) ? LIMIT ?",
                    arguments: [name, version, limit - outdated.count]
                )
            }
        }
        return outdated
    }

    /// Removes one response. Returns nil when it didn't exist.
    func removeCachedResponse(_ id: Int64, noting changes: CacheChanges) throws -> RemovedResponses? {
        try changing(changes) { database, state in
            guard let removed = try Self.remove(id, in: database) else { return nil }
            state.counters.removals += 1
            return removed
        }
    }

    /// Runs a transaction that changes what is cached, and counts it.
    func changing<Result>(
        _ changes: CacheChanges,
        _ body: (Database, inout CacheState) throws -> Result
    ) throws -> Result {
        try changes.changing { noteChange in
            try write { database in
                var state = try CacheState(in: database)
                let old = state.counters
                // Before a trigger makes numbers of what is none.
                _ = try state.repairSums(in: database)
                let result = try body(database, &state)
                try state.writeCounters(in: database)
                noteChange(old, state.counters)
                return result
            }
        }
    }

    /// Returns nil when it didn't exist.
    static func remove(_ id: Int64, in database: Database) throws -> RemovedResponses? {
        let files = try String.fetchAll(
            database.cachedStatement(
                sql: "SELECT file FROM cachedBody WHERE id BETWEEN ? AND ? AND file IS NOT NULL"
            ),
            arguments: [id << 7, id << 7 | 127]
        )
        let row = try Row.fetchOne(
            database.cachedStatement(sql: "SELECT byteCount FROM cachedResponse WHERE id = ?"),
            arguments: [id]
        )
        guard let row else { return nil }
        try database.run("DELETE FROM cachedResponse WHERE id = ?", [id])
        return RemovedResponses(count: 1, byteCount: bodyByteCount(row), files: files)
    }

    /// Removes the oldest responses that haven't been used until the rest are within the limits, and the store is within
    /// its quota. Reads as many rows as it comes past.
    ///
    /// - Parameter staged: The bytes of bodies that are being written, which count towards the quota.
    static func evict(
        beyond limits: CacheLimits,
        sparing use: CacheUse,
        _ state: inout CacheState,
        in database: Database
    ) throws -> RemovedResponses {
        var removed = RemovedResponses()
        var sums = try state.repairSums(in: database)
        var roundCount = 0
        while limits.areExceeded(count: sums.count, byteCount: sums.byteCount), roundCount < 3 {
            let rows = try Int64.fetchAll(
                database.cachedStatement(sql: "SELECT id FROM cachedResponse WHERE id > ? ORDER BY id LIMIT 64"),
                arguments: [use.hand]
            )
            if rows.isEmpty {
                use.beginRound()
                roundCount += 1
            }
            for id in rows where limits.areExceeded(count: sums.count, byteCount: sums.byteCount) {
                use.move(to: id)
                guard !use.take(id), let one = try remove(id, in: database) else { continue }
                removed.add(one)
                sums = (sums.count - 1, sums.byteCount - one.byteCount)
            }
        }
        return removed
    }
}

extension Catalog.RemovedResponses {
    mutating func add(_ other: Self) {
        count += other.count
        byteCount &+= other.byteCount
        files += other.files
    }
}

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
