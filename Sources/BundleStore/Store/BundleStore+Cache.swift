extension BundleStore {
    /// The responses that are kept for a URL, the latest first.
    ///
    /// - Throws: ``BundleError`` with code `storeUnavailable` when the catalog can't be read.
    public func cachedResponses(for url: String) throws -> [CachedResponse] {
        try Self.accessing(path) { try catalog.cachedResponses(url: url).map(CachedResponse.init) }
    }

    /// All the responses that are kept, the latest first.
    ///
    /// - Throws: ``BundleError`` with code `storeUnavailable` when the catalog can't be read.
    public func cachedResponses() throws -> [CachedResponse] {
        try Self.accessing(path) { try catalog.cachedResponses(url: nil).map(CachedResponse.init) }
    }

    /// The body of a kept response, or nil when it is gone or has another length than it should.
    public func body(of response: CachedResponse) -> ByteSlice? {
        guard let body = try? ByteSlice(mapping: layout.body(response.body)), body.count == response.byteCount
        else { return nil }
        return body
    }

    /// Begins to keep the body of a response.
    ///
    /// - Throws: ``BundleError`` with code `storeBusy` while the store is being pruned, `storeUnavailable` when it can't be
    ///   written.
    public func beginCachedBody() throws -> CachedBodyWriter {
        try Self.accessing(path) { try CachedBodyWriter(self) }
    }

    /// Changes what the cache knows of a response, after it has been validated.
    ///
    /// - Throws: ``BundleError`` with code `storeUnavailable` when the store can't be written.
    public func update(_ response: CachedResponse, metadata: [UInt8]) throws {
        try Self.accessing(path) { try catalog.updateCachedResponse(response.id, metadata: metadata) }
    }

    /// Forgets one response.
    ///
    /// - Throws: ``BundleError`` with code `storeUnavailable` when the store can't be written.
    public func drop(_ response: CachedResponse) throws {
        try Self.accessing(path) {
            try catalog.removeCachedResponse(response.id)
            try Durable.remove(layout.body(response.body))
        }
    }

    /// Forgets the responses that are kept for a bundle, or for all of them.
    ///
    /// - Returns: How many they were, and the sum of their bodies' lengths in bytes.
    /// - Throws: ``BundleError`` with code `storeUnavailable` when the store can't be written.
    @discardableResult
    public func clearCache(of bundle: BundleName? = nil) throws -> (count: Int, byteCount: Int64) {
        try Self.accessing(path) {
            let removed = try catalog.removeCachedResponses(of: bundle)
            try removeBodies(removed)
            return (removed.count, removed.reduce(0) { $0 &+ $1.byteCount })
        }
    }

    /// Drops the oldest responses until the rest is within the limits.
    func evict() throws {
        try removeBodies(catalog.evictCachedResponses(beyond: cacheLimits))
    }

    private func removeBodies(_ removed: [Catalog.RemovedBody]) throws {
        for body in removed {
            if let identifier = FileIdentifier(name: body.name) { try Durable.remove(layout.body(identifier)) }
        }
    }
}
