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
