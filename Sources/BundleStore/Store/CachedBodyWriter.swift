import struct Crypto.SHA256

/// Writes the body of a response to the cache. If it is released before the response is stored, the written bytes are
/// removed.
///
/// Not thread-safe.
package final class CachedBodyWriter {
    let identifier = FileIdentifier.random()
    private let store: BundleStore
    // Held until the end: without the lock the unfinished file would count as an orphan.
    private let lock: FileLock
    private let file: BufferedFile
    private var hasher = SHA256()
    private var reservedByteCount: Int64 = 0

    /// - Throws: ``/BundleModel/BundleError`` with code `storeBusy` when the store is being pruned: waiting isn't worth
    ///   it, since a response can be served without being cached.
    init(_ store: BundleStore) throws {
        self.store = store
        lock = try StoreLock.take(store.layout, bundle: nil, .shared, waits: false)
        file = try BufferedFile(creating: store.layout.temporary(identifier))
    }

    deinit {
        discard()
    }

    /// Removes what was written. Has no effect once the response is stored.
    package func discard() {
        try? file.close(syncing: false)
        try? Durable.remove(store.layout.temporary(identifier))
        release()
    }

    /// The number of bytes written so far.
    package var byteCount: Int64 { Int64(clamping: file.position) }

    /// Appends bytes.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when they can't be written, or the cache has
    ///   no room for all the bodies that are being written.
    package func append(_ bytes: [UInt8]) throws {
        try BundleStore.accessing(store.path) {
            try reserve(byteCount + Int64(bytes.count))
            try file.append(bytes)
        }
        hasher.update(data: bytes)
    }

    private func reserve(_ needed: Int64) throws {
        guard needed > reservedByteCount else { return }
        // In growing steps, because each reservation queries the catalog.
        let ample = max(needed, min(2 * reservedByteCount, reservedByteCount + StagedBodies.maximumStep))
        for wanted in [ample, needed] where try store.reserveStaged(wanted - reservedByteCount, ofBody: wanted) {
            reservedByteCount = wanted
            return
        }
        throw BundleError(
            .storeUnavailable,
            "the cache of the store in \(store.path) has no room for what is being fetched; raise its limit or "
                + "the quota, or try later"
        )
    }

    private func release() {
        store.stagedBodies.release(reservedByteCount)
        reservedByteCount = 0
    }

    /// Stores the response.
    ///
    /// - Parameters:
    ///   - url: The requested URL.
    ///   - bundle: The bundle and the version that was active when the request was made.
    ///   - version: The version of the bundle that was active when the request was made.
    ///   - metadata: What the cache needs to know of the response later.
    ///   - replaced: The responses that it replaces.
    /// - Returns: The body, and whether it was kept: it isn't when another version has become active meanwhile.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable`.
    package func store(
        url: String,
        bundle: BundleName,
        version: BundleVersion,
        metadata: [UInt8],
        replacing replaced: [CachedResponse]
    ) throws -> (body: ByteSlice, isKept: Bool) {
        try BundleStore.accessing(store.path) {
            try file.close(syncing: true)
            let path = store.layout.body(identifier)
            try Durable.publish(store.layout.temporary(identifier), as: path, in: store.layout.cache)
            let file = try MappedFile(path)
            let isKept = try store.catalog.insertCachedResponse(
                url: url,
                bundle: bundle,
                version: version,
                metadata: metadata,
                body: identifier,
                byteCount: byteCount,
                digest: Digest(hasher.finalize()),
                at: store.now(),
                replacing: replaced.map(\.id)
            )
            for response in replaced { try Durable.remove(store.layout.body(response.body)) }
            if isKept {
                store.bodyChecks.record(.intact, of: identifier, file.stamp)
            } else {
                try Durable.remove(path)
            }
            release()
            try store.evict()
            return (ByteSlice(file), isKept)
        }
    }
}
