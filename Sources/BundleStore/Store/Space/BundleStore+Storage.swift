import SystemPackage

extension BundleStore {
    /// How much room the store's content takes, and how much it may take.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the catalog can't be read.
    public func storageUse() throws -> StorageUse {
        try StoreAccess.run(at: path) {
            let (quota, files) = try catalog.storage.use(keeping: fallbackReleases)
            let transient = try TransientFiles(in: layout)
            return StorageUse(
                quota: quota,
                byteCount: files.byteCount(in: layout) + transient.byteCount,
                removableByteCount: catalog.storage.removableByteCount(of: files) + transient.abandonedByteCount
            )
        }
    }

    /// The releases that are served in place of damaged ones. They aren't removed to make room.
    var fallbackReleases: Set<Int64> { Set(snapshot.bundles.values.compactMap { $0.fallbackRelease?.record.id }) }

    /// Limits the total size of the store's segments, indexes, cached bodies and running downloads. An install that
    /// would exceed the limit removes cached responses, oldest first, then retained versions that aren't pinned, least
    /// recently activated first; it is refused when that doesn't suffice. Contents that no version refers to count only
    /// until the store is pruned, which compacts segments while the quota is exceeded. Existing content is kept until
    /// then.
    ///
    /// - Parameter byteCount: The limit in bytes, more than 0; nil for none.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` for 0 or less, `storeUnavailable` when the
    ///   store can't be written.
    public func setQuota(_ byteCount: Int64?) throws {
        if let byteCount, byteCount <= 0 {
            throw BundleError(
                .invalidArgument,
                "a quota of \(byteCount) bytes leaves room for nothing; name a larger one"
            )
        }
        try StoreAccess.run(at: path) { try catalog.storage.setQuota(byteCount) }
    }

    /// Pins a version, so that it is only removed on explicit request, or unpins it.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `notFound` when the store doesn't hold it, otherwise as
    ///   ``activate(_:_:permittingOverlapWith:waits:)``.
    public func setPinned(_ isPinned: Bool, _ name: BundleName, _ version: BundleVersion, waits: Bool = false) throws {
        try changing(name, waits: waits) { bundle in
            try catalog.releases.setPinned(isPinned, bundle.known(version).record)
        }
    }
}

/// How much of the disk a store's content takes, and how much it may take. A value type; safe to share between threads.
public struct StorageUse: Sendable, Equatable, Encodable {
    /// The maximum total size of segments, indexes and cached bodies in bytes; nil for no limit.
    public let quota: Int64?
    /// The bytes in use, by file size: what the catalog refers to, downloads, and files being written.
    public let byteCount: Int64
    /// How many of these bytes an install and the pruning after it may free: cached bodies, retained versions that
    /// aren't pinned, contents that no version refers to, and abandoned partial downloads and writes.
    public let removableByteCount: Int64
}
