import struct Crypto.SHA256

/// The body of a response on its way into the cache. When it goes away without being stored, what it wrote is removed.
///
/// Not thread-safe.
public final class CachedBodyWriter {
    let identifier = FileIdentifier.random()
    private let store: BundleStore
    // Held until the end: without it the unfinished file would count as an orphan.
    private let lock: FileLock
    private let file: BufferedFile
    private var hasher = SHA256()
    private var reservedByteCount: Int64 = 0

    /// - Throws: ``BundleError`` with code `storeBusy` when the store is being pruned: a response isn't worth waiting for
    ///   that, it can be given without being kept.
    init(_ store: BundleStore) throws {
        self.store = store
        lock = try StoreLock.take(store.layout, bundle: nil, .shared, waits: false)
        file = try BufferedFile(creating: store.layout.temporary(identifier))
    }

    deinit {
        discard()
    }

    /// Removes what was written. Without effect once it is stored.
    public func discard() {
        try? file.close(syncing: false)
        try? Durable.remove(store.layout.temporary(identifier))
        release()
    }

    /// The number of bytes so far.
    public var byteCount: Int64 { Int64(clamping: file.position) }

    /// Adds bytes.
    ///
    /// - Throws: ``BundleError`` with code `storeUnavailable` when they can't be written, or the cache has no room for
    ///   everything that is being written to it.
    public func append(_ bytes: [UInt8]) throws {
        try BundleStore.accessing(store.path) {
            try reserve(byteCount + Int64(bytes.count))
            try file.append(bytes)
        }
        hasher.update(data: bytes)
    }

    private func reserve(_ needed: Int64) throws {
        guard needed > reservedByteCount else { return }
        // In growing steps, since each one asks the catalog.
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

    /// Keeps the response.
    ///
    /// - Parameters:
    ///   - url: The URL that was asked for.
    ///   - bundle: The bundle and the version that was active when the request was made.
    ///   - metadata: What the cache wants to know of it later.
    ///   - replaced: The responses whose place it takes.
    /// - Returns: The body, and whether it is kept: not when another version has become the active one meanwhile.
    /// - Throws: ``BundleError`` with code `storeUnavailable`.
    public func store(
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
