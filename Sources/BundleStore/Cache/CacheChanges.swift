import GRDB
import Synchronization

/// Counts what other processes, and other users of this store, have changed in the cache: what is held in memory depends
/// on it. Thread-safe.
package final class CacheChanges: Sendable {
    /// The counters in the catalog.
    struct Counters: Equatable, Sendable {
        /// Raised when responses are removed because they must not be used any more; not by eviction.
        var removals: Int64
        /// Raised when responses are stored.
        var insertions: Int64
    }

    /// The counters as far as they are known; nil before the catalog was first read.
    private let known = Mutex<Counters?>(nil)
    private let removalCount = Atomic(0)
    private let insertionCount = Atomic(0)

    /// Changes when everything that is in memory has to be read again.
    package var removals: Int { removalCount.load(ordering: .acquiring) }

    /// Changes when the catalog may have responses that weren't known of.
    package var insertions: Int { insertionCount.load(ordering: .acquiring) }

    /// Takes counters that were read. Older ones than known are of an earlier state of the catalog.
    func note(_ read: Counters) {
        known.withLock { known in
            defer { known = read.merged(with: known) }
            guard let known else { return }
            if read.removals > known.removals { noteRemoval() }
            if read.insertions > known.insertions { insertionCount.add(1, ordering: .releasing) }
        }
    }

    /// Runs a transaction of this process that takes the counters from one state to another; what it does itself isn't a
    /// change to what is known.
    ///
    /// - Parameter transaction: Calls its argument within the transaction.
    func changing<Result>(_ transaction: ((Counters, Counters) -> Void) throws -> Result) throws -> Result {
        let before = known.withLock { $0 }
        do {
            return try transaction { old, new in
                note(old)
                known.withLock { $0 = new.merged(with: $0) }
            }
        } catch {
            // Nothing was changed; the next process will use the same numbers.
            known.withLock { $0 = before }
            throw error
        }
    }

    /// Everything in memory has to be read again.
    func noteRemoval() {
        removalCount.add(1, ordering: .releasing)
    }
}

extension CacheChanges.Counters {
    /// The higher of both counters.
    fileprivate func merged(with other: Self?) -> Self {
        guard let other else { return self }
        return Self(removals: max(removals, other.removals), insertions: max(insertions, other.insertions))
    }
}

/// The row of the catalog with the sums and counters of the cache.
struct CacheState {
    private static let bounds: ClosedRange<Int64> = 0...(1 << 60)
    /// The numbers of responses are multiplied by that of parts.
    private static let identifiers: ClosedRange<Int64> = 0...(1 << 48)

    /// The number of responses, and the sum of their bodies' lengths; nil when they have to be counted.
    var sums: (count: Int64, byteCount: Int64)?
    /// The highest number that a response has had.
    var lastResponse: Int64
    /// Counts changes that other processes must see.
    var counters: CacheChanges.Counters

    /// Values that this program never writes count as unknown.
    init(in database: Database) throws {
        let row = try Row.fetchOne(
            database.cachedStatement(sql: "SELECT * FROM cacheState WHERE only = 1")
        )
        if let count = row?.integer("responseCount", in: Self.bounds),
            let byteCount = row?.integer("byteCount", in: Self.bounds)
        {
            sums = (count, byteCount)
        }
        lastResponse = row?.integer("lastResponse", in: Self.identifiers) ?? 0
        // Higher than any number that was counted up to, so that the change is noticed.
        counters = CacheChanges.Counters(
            removals: row?.integer("removals", in: Self.bounds) ?? Int64(UInt32.max),
            insertions: row?.integer("insertions", in: Self.bounds) ?? Int64(UInt32.max)
        )
    }

    /// Counts the responses if the sums were damaged. The row is then written as a whole.
    mutating func repairSums(in database: Database) throws -> (count: Int64, byteCount: Int64) {
        if let sums { return sums }
        let row = try Row.fetchOne(
            database,
            sql: """
                SELECT count(*) AS count, coalesce(sum(
                    CASE WHEN typeof(byteCount) = 'integer' AND byteCount BETWEEN 0 AND ? THEN byteCount ELSE 0 END
                ), 0) AS byteCount FROM cachedResponse
                """,
            arguments: [StorageTables.maximumBodyByteCount]
        )
        let counted = (row?.value("count", as: Int64.self) ?? 0, row?.value("byteCount", as: Int64.self) ?? 0)
        sums = counted
        try database.execute(
            sql: "INSERT OR REPLACE INTO cacheState VALUES (1, ?, ?, ?, ?, ?)",
            arguments: [counted.0, counted.1, lastResponse, counters.removals, counters.insertions]
        )
        return counted
    }

    /// Writes the counters; the sums are kept by triggers.
    func writeCounters(in database: Database) throws {
        try database.run(
            "UPDATE cacheState SET lastResponse = ?, removals = ?, insertions = ? WHERE only = 1",
            [lastResponse, counters.removals, counters.insertions]
        )
    }
}

extension Database {
    /// Executes a statement that is prepared once.
    func run(_ sql: String, _ arguments: StatementArguments) throws {
        try cachedStatement(sql: sql).execute(arguments: arguments)
    }
}
