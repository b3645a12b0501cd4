import SystemPackage

/// The locks that writers take: the store shared, so that it isn't pruned meanwhile, and one bundle exclusively; or the
/// store exclusively, to prune.
package enum StoreLock {
    /// - Parameter bundle: The bundle to lock, or nil for the store.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeBusy` when another process holds a conflicting lock and
    ///   `waits` is false.
    package static func take(
        _ layout: StoreLayout,
        bundle: BundleName?,
        _ mode: FileLock.Mode,
        waits: Bool
    ) throws -> FileLock {
        guard let lock = try FileLock(layout.lock(bundle), mode, waits: waits) else {
            throw BundleError(
                .storeBusy,
                "another process is working on \(bundle.map { "bundle \($0)" } ?? "the store") in \(layout.root)",
                .wait
            )
        }
        return lock
    }

    /// Locks the store shared. Waits for a running prune regardless of `waits`: it is short, and isn't a change to the
    /// bundle in question.
    package static func share(_ layout: StoreLayout) throws -> FileLock {
        try take(layout, bundle: nil, .shared, waits: true)
    }

    /// Runs `body` with the store locked shared and the bundle locked exclusively.
    package static func changing<Result>(
        _ layout: StoreLayout,
        bundle: BundleName,
        waits: Bool,
        _ body: () throws -> Result
    ) throws -> Result {
        try share(layout).whileHeld {
            try take(layout, bundle: bundle, .exclusive, waits: waits).whileHeld(body)
        }
    }
}
