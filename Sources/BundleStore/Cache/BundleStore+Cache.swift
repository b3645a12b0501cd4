import Foundation
import SystemPackage

extension BundleStore {
    /// How many variants are stored under one key. The oldest go.
    package static let maximumVariantCount = 32

    /// All cached responses, latest first. Waits until those that were kept before are written.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the catalog can't be read.
    package func cachedResponses() throws -> [CachedResponse] {
        cacheWriter.drain()
        return try Self.accessing(path) { try catalog.cachedResponses.responses().responses }
    }

    /// The cached responses for a URL, latest first. Reads all rows; see ``selections(under:)``.
    ///
    /// - Throws: As ``cachedResponses()``.
    package func cachedResponses(for url: String) throws -> [CachedResponse] {
        cacheWriter.drain()
        return try Self.accessing(path) { try catalog.cachedResponses.responses(url: url).responses }
    }

    /// Which variants are in the catalog under a key, the oldest first. At most 32.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the catalog can't be read.
    package func selections(under key: CachedKey) throws -> [(id: Int64, selection: CachedSelection)] {
        try Self.accessing(path) { try catalog.cachedResponses.selections(under: key) }
    }

    /// What is in the catalog under a key, with the variants that are selected: read at one moment.
    ///
    /// - Throws: As ``selections(under:)``.
    package func variants(
        under key: CachedKey,
        where isSelected: (CachedSelection) -> Bool
    ) throws -> CachedVariants {
        try Self.accessing(path) { try catalog.cachedResponses.variants(under: key, where: isSelected) }
    }

    /// A cached response; nil when it is gone, or its row is damaged.
    ///
    /// - Throws: As ``selections(under:)``.
    package func cachedResponse(_ id: Int64) throws -> CachedResponse? {
        try Self.accessing(path) { try catalog.cachedResponses.response(id) }
    }

    /// The row of a response that was read from the catalog.
    package func row(of response: CachedResponse) -> CachedRow { CachedRow(response.id) }

    /// What others have changed in the cache.
    package var cacheChanges: CacheChanges { cacheWriter.changes }

    /// Changes when ``noteUse(of:)`` has to be called again for each response that is used.
    package var useRound: Int { cacheWriter.use.round }

    /// Notes that a response was used: eviction spares it once.
    ///
    /// - Returns: False when that can't be noted, because the response isn't in the catalog yet.
    package func noteUse(of row: CachedRow) -> Bool {
        guard let id = row.id else { return false }
        cacheWriter.use.note(id)
        return true
    }

    /// Begins to store the body of a response.
    package func beginCachedBody() -> CachedBodyWriter { CachedBodyWriter(self) }

    /// The number of changes to the cache that were taken, and of those that are in the catalog or were given up: a change
    /// is in the catalog when the second has reached what the first was then.
    package var cacheProgress: (taken: Int, written: Int) { (cacheWriter.taken, cacheWriter.written) }

    /// Stores a response soon: after the changes before, and without waiting.
    ///
    /// - Returns: Its row; nil when it isn't kept, because too much waits to be written.
    package func keep(_ response: NewCachedResponse) -> CachedRow? {
        let row = CachedRow()
        return cacheWriter.add(.insert(response, row)) ? row : nil
    }

    /// Changes a cached response soon.
    ///
    /// - Parameters:
    ///   - selection: Which requests it is for now.
    ///   - parts: The parts that are added and kept; nil to leave them as they are.
    /// - Returns: False when too much waits to be written; the response stays as it was.
    @discardableResult
    package func update(
        _ row: CachedRow,
        metadata: [UInt8],
        selection: CachedSelection,
        parts: CachedPartChange? = nil
    ) -> Bool {
        cacheWriter.add(.update(row, metadata: metadata, selection, parts: parts))
    }

    /// Drops one response soon.
    package func drop(_ row: CachedRow) {
        _ = cacheWriter.add(.remove(row))
    }

    /// Drops everything that is stored under a key soon.
    package func dropCachedResponses(under key: CachedKey) {
        _ = cacheWriter.add(.removeAll(key))
    }

    /// Like ``flushCache()``, on the calling thread.
    package func awaitCache() { cacheWriter.drain() }

    /// Waits until everything kept so far is on the disk, or was given up.
    package func flushCache() async {
        await withCheckedContinuation { continuation in cacheWriter.drain { continuation.resume() } }
    }

    /// Drops the cached responses of a bundle, or of all bundles.
    ///
    /// - Returns: The number of dropped responses, and the sum of their bodies' lengths in bytes.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the store can't be written.
    @discardableResult
    public func clearCache(of bundle: BundleName? = nil) throws -> (count: Int, byteCount: Int64) {
        cacheWriter.drain()
        return try Self.accessing(path) {
            let removed = try catalog.cachedResponses.removeAll(of: bundle, noting: cacheChanges)
            cacheChanges.noteRemoval()
            cacheWriter.remove(removed)
            if removed.count > 0 { catalog.connection.shrink() }
            return (removed.count, removed.byteCount)
        }
    }

    /// Drops a response whose row or body is damaged. Returns false when it is gone already.
    @discardableResult
    func dropCachedResponse(_ id: Int64) throws -> Bool {
        guard let removed = try catalog.cachedResponses.remove(id, noting: cacheChanges) else { return false }
        cacheWriter.remove(removed)
        return true
    }

    /// Reserves bytes for a body that is being written. Under a quota the oldest responses make room for it.
    ///
    /// - Parameter total: The length of the body so far, including these bytes.
    /// - Returns: False when the cache has no room for all the bodies that are being written.
    func reserveStaged(_ byteCount: Int64, ofBody total: Int64) throws -> Bool {
        if total <= StagedBodies.smallByteCount { return stagedBodies.reserve(byteCount, within: .max) }
        let (room, hasQuota) = try catalog.storage.cacheRoom(within: cacheLimits)
        guard stagedBodies.reserve(byteCount, within: room) else { return false }
        if hasQuota { cacheWriter.evict() }
        return true
    }
}

extension Release {
    /// Distinguishes this activation from all others; nil when it never was activated.
    package var activationNumber: Int64? { record.activationNumber }
}
