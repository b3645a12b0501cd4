import SystemPackage

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
