extension BundleStore {
    /// All cached responses, latest first. Waits until those that were kept before are written.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the catalog can't be read.
    package func cachedResponses() throws -> [CachedResponse] {
        cache.writer.drain()
        return try StoreAccess.run(at: path) { try catalog.cachedResponses.responses().responses }
    }

    /// The cached responses for a URL, latest first. Reads all rows; see ``selections(under:)``.
    ///
    /// - Throws: As ``cachedResponses()``.
    package func cachedResponses(for url: String) throws -> [CachedResponse] {
        cache.writer.drain()
        return try StoreAccess.run(at: path) { try catalog.cachedResponses.responses(url: url).responses }
    }

    /// Which variants are in the catalog under a key, the oldest first. At most 32.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the catalog can't be read.
    package func selections(under key: CachedKey) throws -> [(id: Int64, selection: CachedSelection)] {
        try StoreAccess.run(at: path) { try catalog.cachedResponses.selections(under: key) }
    }

    /// What is in the catalog under a key, with the variants that are selected: read at one moment.
    ///
    /// - Throws: As ``selections(under:)``.
    package func variants(
        under key: CachedKey,
        where isSelected: (CachedSelection) -> Bool
    ) throws -> CachedVariants {
        try StoreAccess.run(at: path) { try catalog.cachedResponses.variants(under: key, where: isSelected) }
    }

    /// A cached response; nil when it is gone, or its row is damaged.
    ///
    /// - Throws: As ``selections(under:)``.
    package func cachedResponse(_ id: Int64) throws -> CachedResponse? {
        try StoreAccess.run(at: path) { try catalog.cachedResponses.response(id) }
    }

    /// The row of a response that was read from the catalog.
    package func row(of response: CachedResponse) -> CachedRow { CachedRow(response.id) }

    /// What others have changed in the cache.
    package var cacheChanges: CacheChanges { cache.writer.changes }

    /// Changes when ``noteUse(of:)`` has to be called again for each response that is used.
    package var useRound: Int { cache.writer.use.round }

    /// Notes that a response was used: eviction spares it once.
    ///
    /// - Returns: False when that can't be noted, because the response isn't in the catalog yet.
    package func noteUse(of row: CachedRow) -> Bool {
        guard let id = row.id else { return false }
        cache.writer.use.note(id)
        return true
    }

    /// Begins to store the body of a response.
    package func beginCachedBody() -> CachedBodyWriter { CachedBodyWriter(cache) }

    /// The number of changes to the cache that were taken, and of those that are in the catalog or were given up: a change
    /// is in the catalog when the second has reached what the first was then.
    package var cacheProgress: (taken: Int, written: Int) { (cache.writer.taken, cache.writer.written) }

    /// Stores a response soon: after the changes before, and without waiting.
    ///
    /// - Returns: Its row; nil when it isn't kept, because too much waits to be written.
    package func keep(_ response: NewCachedResponse) -> CachedRow? {
        let row = CachedRow()
        return cache.writer.add(.insert(response, row)) ? row : nil
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
        cache.writer.add(.update(row, metadata: metadata, selection, parts: parts))
    }

    /// Drops one response soon.
    package func drop(_ row: CachedRow) {
        _ = cache.writer.add(.remove(row))
    }

    /// Drops everything that is stored under a key soon.
    package func dropCachedResponses(under key: CachedKey) {
        _ = cache.writer.add(.removeAll(key))
    }

    /// Like ``flushCache()``, on the calling thread.
    package func awaitCache() { cache.writer.drain() }

    /// Waits until everything kept so far is on the disk, or was given up.
    package func flushCache() async {
        await withCheckedContinuation { continuation in cache.writer.drain { continuation.resume() } }
    }

    /// Drops the cached responses of a bundle, or of all bundles.
    ///
    /// - Returns: The number of dropped responses, and the sum of their bodies' lengths in bytes.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the store can't be written.
    @discardableResult
    public func clearCache(of bundle: BundleName? = nil) throws -> (count: Int, byteCount: Int64) {
        try cache.clear(of: bundle)
    }

    /// The bytes of a cached response's parts, in their order; nil when some are gone or damaged. Those in a file are
    /// compared with their digest when they are first read after the store was opened, which takes a while for large
    /// ones. A damaged response is dropped and reported to the damage handler.
    package func contents(of response: CachedResponse) -> [ByteSlice]? { cache.contents(of: response) }

    /// The body of a cached response that is stored as a whole; nil when it is gone or damaged.
    package func body(of response: CachedResponse) -> ByteSlice? { cache.body(of: response) }

    /// Whether reading the response compares large bodies with their digests.
    package func isUnread(_ response: CachedResponse) -> Bool { cache.isUnread(response) }
}
