import BundleInstall
import BundleStore
import BundleUpdate
import HTTPCore

/// How much room the store takes, and what of it is damaged.
extension BundleClient {
    /// How much room the store takes, and how much it may take.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the store can't be read, and after ``close()``.
    public func storageUse() async throws -> StorageUse {
        try await blocking { [self] in try store.storageUse() }
    }

    /// Limits the room that the store takes, see ``/BundleStore/BundleStore/setQuota(_:)``.
    ///
    /// - Parameter byteCount: The limit in bytes, more than 0; nil for none.
    public func setQuota(_ byteCount: Int64?) async throws {
        try await blocking { [self] in try store.setQuota(byteCount) }
    }

    /// Pins a version, so that it is only removed on explicit request, see ``/BundleStore/BundleStore/setPinned(_:_:_:waits:)``.
    public func pin(_ name: BundleName, version: BundleVersion) async throws {
        try await blocking { [self] in try store.setPinned(true, name, version, waits: true) }
    }

    /// Ends ``pin(_:version:)``.
    public func unpin(_ name: BundleName, version: BundleVersion) async throws {
        try await blocking { [self] in try store.setPinned(false, name, version, waits: true) }
    }

    /// Removes earlier versions and what no version needs, see
    /// ``/BundleStore/BundleStore/prune(keeping:of:sparing:waits:progress:)``. Waits for other processes that change the store.
    ///
    /// - Parameter count: How many earlier versions of each bundle stay, and how many that were never active; 0 or more.
    @discardableResult
    public func prune(keeping count: Int = 1) async throws -> BundleStore.PruneReport {
        try await blocking { [self] in try store.prune(keeping: count, waits: true) }
    }

    /// Drops the stored responses from the network, also those in memory and the copies for the time without a network
    /// (`"offline": "always"`): for an app whose user changes. A response that is still arriving is stored after that, so end loads before.
    ///
    /// - Parameter name: The bundle that they were fetched under; nil for all.
    /// - Returns: The number of dropped responses, and the sum of their bodies' lengths in bytes.
    /// - Throws: ``/BundleModel/BundleError`` with code `notFound` for an unknown bundle; `storeUnavailable` when the store can't be
    ///   written, while the client is suspended, and after ``close()``.
    @discardableResult
    public func clearCache(of name: BundleName? = nil) async throws -> (count: Int, byteCount: Int64) {
        try await blocking { [self] in
            if let name { _ = try store.bundle(name) }
            return try store.clearCache(of: name)
        }
    }

    /// Reads all files again and compares them with their digests, see ``/BundleStore/BundleStore/verify(_:pace:progress:)``.
    ///
    /// - Parameters:
    ///   - name: The bundle; nil for all.
    ///   - progress: Called now and then with the bytes that are read.
    /// - Returns: The damage; empty when there is none.
    public func verify(
        _ name: BundleName? = nil,
        progress: @escaping @Sendable (ByteProgress) -> Void = { _ in }
    ) async throws -> [StoreDamage] {
        try await blocking { [self] in try store.verify(name, progress: progress) }
    }

    /// As ``verify(_:progress:)``, and repairs the damage from other places in the store, and if the client has a network, from
    /// origins and from the archives that feeds offer.
    ///
    /// - Returns: What was repaired, and the damage that is left.
    @discardableResult
    public func repair(
        _ name: BundleName? = nil,
        progress: @escaping @Sendable (ByteProgress) -> Void = { _ in }
    ) async throws -> RepairReport {
        var options = InstallOptions()
        options.waits = true
        let round = RepairRound(installer, transport: transport, options: options, credentials: credentials)
        return try await lifetime.run(locksStore: true) { [self] in
            let report = try await withTaskExecutorPreference(BlockingExecutor()) {
                let repair = try store.beginRepair(of: name, progress: progress)
                _ = try await round.run(repair)
                return try repair.commit(waits: true)
            }
            refresh()
            return report
        }
    }
}
