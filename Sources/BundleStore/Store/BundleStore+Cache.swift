import SystemPackage

extension BundleStore {
    /// The cached responses for a URL, latest first.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the catalog can't be read.
    package func cachedResponses(for url: String) throws -> [CachedResponse] {
        try Self.accessing(path) { try catalog.cachedResponses(url: url).map(CachedResponse.init) }
    }

    /// All cached responses, latest first.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the catalog can't be read.
    package func cachedResponses() throws -> [CachedResponse] {
        try Self.accessing(path) { try catalog.cachedResponses(url: nil).map(CachedResponse.init) }
    }

    /// The body of a cached response, or nil when it is gone or damaged. The first read after the store was opened
    /// compares it with its digest. A damaged response is dropped and reported to the damage handler.
    package func body(of response: CachedResponse) -> ByteSlice? {
        // Mapped first, so that the file checked below is no older than the mapping.
        let file = try? MappedFile(layout.body(response.body))
        switch bodyChecks.verdict(of: response.body, file?.stamp) {
        case .intact: break
        case .damaged: return nil
        case nil:
            guard (try? isIntact(response, pace: .fast)) == true else {
                bodyChecks.record(.damaged, of: response.body, file?.stamp)
                dropDamaged(response)
                return nil
            }
            bodyChecks.record(.intact, of: response.body, file?.stamp)
        }
        guard let file, file.bytes.count == response.byteCount else { return nil }
        return ByteSlice(file)
    }

    /// Whether the body matches its digest. Not mapped: when the disk fails, reading a mapping would end the process.
    ///
    /// - Throws: `CancellationError` when the task is cancelled and the pace isn't the fastest.
    func isIntact(_ response: CachedResponse, pace: ReadingPace) throws -> Bool {
        guard let file = try? FileDescriptor.open(layout.body(response.body), .readOnly, options: .closeOnExec),
            let byteCount = Int(exactly: response.byteCount), byteCount >= 0
        else { return false }
        do {
            return try file.closeAfter {
                try Int64(file.stat().size) == response.byteCount
                    && Digest(of: file, in: 0..<byteCount, pace: pace) == response.digest
            }
        } catch let error as CancellationError {
            throw error
        } catch {
            return false
        }
    }

    private func dropDamaged(_ response: CachedResponse) {
        // A response that another process has dropped meanwhile isn't damaged. In a read-only store it stays, unused.
        guard (try? catalog.removeCachedResponse(response.id)) ?? true else { return }
        try? Durable.remove(layout.body(response.body))
        damageHandler(response.damage)
    }

    /// Begins to store the body of a response.
    package func beginCachedBody() -> CachedBodyWriter { CachedBodyWriter(self) }

    /// Updates the metadata of a cached response after its validation.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the store can't be written.
    package func update(_ response: CachedResponse, metadata: [UInt8]) throws {
        try Self.accessing(path) { try catalog.updateCachedResponse(response.id, metadata: metadata) }
    }

    /// Drops one response.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the store can't be written.
    package func drop(_ response: CachedResponse) throws {
        try Self.accessing(path) {
            try catalog.removeCachedResponse(response.id)
            try Durable.remove(layout.body(response.body))
        }
    }

    /// Drops the cached responses of a bundle, or of all bundles.
    ///
    /// - Returns: The number of dropped responses, and the sum of their bodies' lengths in bytes.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the store can't be written.
    @discardableResult
    public func clearCache(of bundle: BundleName? = nil) throws -> (count: Int, byteCount: Int64) {
        try Self.accessing(path) {
            let removed = try catalog.removeCachedResponses(of: bundle)
            try removeBodies(removed)
            return (removed.count, removed.reduce(0) { $0 &+ $1.byteCount })
        }
    }

    /// Drops the oldest responses until the rest are within the limits.
    func evict() throws {
        try removeBodies(catalog.evictCachedResponses(beyond: cacheLimits, beside: stagedBodies.total))
    }

    /// Reserves bytes for a body that is being written. Under a quota the oldest responses make room for it.
    ///
    /// - Parameter total: The length of the body so far, including these bytes.
    /// - Returns: False when the cache has no room for all the bodies that are being written.
    func reserveStaged(_ byteCount: Int64, ofBody total: Int64) throws -> Bool {
        if total <= StagedBodies.smallByteCount { return stagedBodies.reserve(byteCount, within: .max) }
        let (room, hasQuota) = try catalog.cacheRoom(within: cacheLimits)
        guard stagedBodies.reserve(byteCount, within: room) else { return false }
        if hasQuota { try evict() }
        return true
    }

    private func removeBodies(_ removed: [Catalog.RemovedBody]) throws {
        for body in removed {
            if let identifier = FileIdentifier(name: body.name) { try Durable.remove(layout.body(identifier)) }
        }
    }
}

extension CachedResponse {
    /// The damage report for a response whose body doesn't match its digest.
    var damage: StoreDamage {
        StoreDamage(
            bundle: bundle,
            version: version,
            "\(label) isn't what was stored, and is fetched again when it is asked for",
            .repair(.response)
        )
    }

    /// A readable name for messages.
    var label: String { "the response kept for \(Printable.text(url))" }
}
