/// Held by a process while it updates a bundle, so that two processes don't download the same archive. Released on
/// deinit.
package final class UpdateLock: Sendable {
    private let lock: FileLock

    fileprivate init(_ lock: FileLock) {
        self.lock = lock
    }
}

extension BundleStore {
    /// Locks a bundle for updating. It can still be installed and served.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeBusy` when another process has the lock and `waits` is
    ///   false, `storeUnavailable` when the lock file can't be created.
    package func lockUpdate(of name: BundleName, waits: Bool = false) throws -> UpdateLock {
        try StoreAccess.run(at: path) {
            guard let lock = try FileLock(layout.updateLock(name), .exclusive, waits: waits) else {
                throw BundleError(.storeBusy, "another process is updating \(name)", .wait)
            }
            return UpdateLock(lock)
        }
    }
}

/// Held by an endpoint while it serves a store, beside any number of others. Released on deinit.
package final class ServingLock: Sendable {
    private let lock: FileLock

    fileprivate init(_ lock: FileLock) {
        self.lock = lock
    }
}

/// Held by a process while it fetches what a bundle names in `precache`. Released on deinit.
package final class PrecacheLock: Sendable {
    private let lock: FileLock

    fileprivate init(_ lock: FileLock) {
        self.lock = lock
    }
}

extension BundleStore {
    /// Says that the store is being served. Nil when the lock can't be taken: the store is only read then.
    package func lockServing() -> ServingLock? {
        (try? FileLock(layout.servingLock, .shared, waits: true)).flatMap { $0 }.map(ServingLock.init)
    }

    /// Whether an endpoint serves the store; nil when that can't be determined.
    package var isBeingServed: Bool? {
        do { return try FileLock(layout.servingLock, .exclusive, waits: false) == nil } catch { return nil }
    }

    /// Locks what a bundle names in `precache`, so that two processes don't fetch the same. Nil when another process has
    /// the lock, or it can't be taken.
    package func lockPrecache(of name: BundleName) -> PrecacheLock? {
        (try? FileLock(layout.precacheLock(name), .exclusive, waits: false)).flatMap { $0 }.map(PrecacheLock.init)
    }
}
