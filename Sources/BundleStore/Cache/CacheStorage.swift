import Dispatch
import Foundation
import Synchronization
import SystemPackage

/// What a store keeps of what came from the network: rows in the catalog, and bodies there or in files.
///
/// Thread-safe.
final class CacheStorage: Sendable {
    /// How many results of comparing bodies with their digests are remembered.
    private static let checkedBodyCount = 10_000

    let path: String
    let layout: StoreLayout
    private let catalog: Catalog
    private let limits: CacheLimits
    private let damageHandler: DamageHandler
    let bodyChecks = CachedBodyChecks(maximumCount: checkedBodyCount)
    let stagedBodies: StagedBodies
    let mappedBodies = MappedBodies()
    let bodyLocks: BodyLocks
    let writer: CacheWriter

    /// - Parameter path: The store's folder, as errors name it.
    init(
        _ catalog: Catalog,
        _ layout: StoreLayout,
        at path: String,
        limits: CacheLimits,
        now: @escaping @Sendable () -> Date,
        damageHandler: @escaping DamageHandler
    ) {
        self.path = path
        self.layout = layout
        self.catalog = catalog
        self.limits = limits
        self.damageHandler = damageHandler
        stagedBodies = StagedBodies()
        bodyLocks = BodyLocks(layout)
        writer = CacheWriter(catalog, layout, limits: limits, staged: stagedBodies, now: now)
    }

    deinit {
        writer.drain()
    }

    /// What others have changed in the cache.
    var changes: CacheChanges { writer.changes }

    /// Everything in memory has to be read again if another program has changed a file that is mapped, or the disk can't read
    /// it any more.
    func recheckFiles() {
        if mappedBodies.takeChange() { changes.noteRemoval() }
    }

    /// Releases the locks of bodies that are being written, while the client is suspended. Waits for a transaction that is under way.
    func releaseLocks() {
        writer.queue.sync { bodyLocks.releaseSuspended() }
    }

    // MARK: - Contents

    /// The bytes of a cached response's parts, in their order; nil when some are gone or damaged. Those in a file are
    /// compared with their digest when they are first read after the store was opened, which takes a while for large
    /// ones. A damaged response is dropped and reported to the damage handler.
    func contents(of response: CachedResponse) -> [ByteSlice]? {
        var contents: [ByteSlice] = []
        for place in response.parts.parts.indices {
            switch content(ofPartAt: place, in: response) {
            case .intact(let content): contents.append(content)
            case .known: return nil
            case .damaged:
                dropDamaged(response)
                return nil
            }
        }
        return contents
    }

    /// The body of a cached response that is stored as a whole; nil when it is gone or damaged.
    func body(of response: CachedResponse) -> ByteSlice? {
        guard response.parts.parts.count == 1 else { return nil }
        return contents(of: response)?.first
    }

    /// Whether reading the response compares large bodies with their digests.
    func isUnread(_ response: CachedResponse) -> Bool {
        guard response.byteCount > CachedBodyWriter.memoryByteCount else { return false }
        return response.parts.parts.indices.contains { place in
            guard case .file(let file)? = bytes(ofPartAt: place, in: response) else { return false }
            return bodyChecks.verdict(of: file, MappedFile.Stamp(layout.body(file))) == nil
        }
    }

    private enum Content {
        case intact(ByteSlice)
        case damaged
        /// It was reported as damaged before.
        case known
    }

    private func bytes(ofPartAt place: Int, in response: CachedResponse) -> CachedBytes? {
        if let bodies = response.bodies { return bodies[place] }
        return try? catalog.cachedResponses.body(response.parts.parts[place], of: response.id)
    }

    private func content(ofPartAt place: Int, in response: CachedResponse) -> Content {
        let part = response.parts.parts[place]
        switch bytes(ofPartAt: place, in: response) {
        case .content(let bytes):
            guard Int64(bytes.count) == part.byteCount, Digest(of: bytes) == part.digest else { return .damaged }
            return .intact(ByteSlice(copying: bytes))
        case .file(let file): return content(of: part, in: file)
        case nil: return .damaged
        }
    }

    private func content(of part: CachedPart, in identifier: FileIdentifier) -> Content {
        // Mapped first, so that the file checked below is no older than the mapping.
        let file = try? MappedFile(layout.body(identifier))
        switch bodyChecks.verdict(of: identifier, file?.stamp) {
        case .intact: break
        case .damaged: return .known
        case nil:
            let isIntact = (try? self.isIntact(part, in: identifier, pace: .fast)) == true
            bodyChecks.record(isIntact ? .intact : .damaged, of: identifier, file?.stamp)
            guard isIntact else { return .damaged }
        }
        guard let file, file.bytes.count == part.byteCount else { return .known }
        mappedBodies.add(file)
        return .intact(ByteSlice(file))
    }

    /// Whether the parts match their digests.
    ///
    /// - Throws: `CancellationError` when the task is cancelled and the pace isn't the fastest.
    func isIntact(_ response: CachedResponse, pace: ReadingPace) throws -> Bool {
        try response.parts.parts.allSatisfy { part in
            switch try? catalog.cachedResponses.body(part, of: response.id) {
            case .content(let bytes): Int64(bytes.count) == part.byteCount && Digest(of: bytes) == part.digest
            case .file(let file): try isIntact(part, in: file, pace: pace)
            case nil: false
            }
        }
    }

    /// Not mapped: when the disk fails, reading a mapping would end the process.
    private func isIntact(_ part: CachedPart, in identifier: FileIdentifier, pace: ReadingPace) throws -> Bool {
        guard let file = try? FileDescriptor.open(layout.body(identifier), .readOnly, options: .closeOnExec),
            let byteCount = Int(exactly: part.byteCount), byteCount >= 0
        else { return false }
        do {
            return try file.closeAfter {
                try Int64(file.stat().size) == part.byteCount
                    && Digest(of: file, in: 0..<byteCount, pace: pace) == part.digest
            }
        } catch let error as CancellationError {
            throw error
        } catch {
            return false
        }
    }

    private func dropDamaged(_ response: CachedResponse) {
        // A response that another process has dropped meanwhile isn't damaged. In a read-only store it stays, unused.
        guard (try? drop(damaged: response.id)) ?? true else { return }
        damageHandler(response.damage)
    }

    /// Drops a response whose row or body is damaged. Returns false when it is gone already.
    @discardableResult
    func drop(damaged id: Int64) throws -> Bool {
        guard let removed = try catalog.cachedResponses.remove(id, noting: changes) else { return false }
        writer.remove(removed)
        return true
    }

    // MARK: - Verification

    /// The cached responses of a bundle, or all of them, whose bodies don't match their digests.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    func damagedResponses(of name: BundleName?, pace: ReadingPace = .fast) throws -> [DamagedResponse] {
        writer.drain()
        let unreadable = try catalog.cachedResponses.unreadable().filter { name == nil || $0.bundle == name }
        var damaged = unreadable.map { DamagedResponse(row: $0.id, of: $0.bundle) }
        var last: Int64? = .max
        while let start = last {
            try Task.checkCancellation()
            let (responses, next) = try catalog.cachedResponses.responses(olderThan: start, limit: pace.roundBodyCount)
            last = next
            // A response that another process drops takes its file with it.
            damaged += try changed(of: responses.filter { name == nil || $0.bundle == name }, pace: pace)
                .filter { try catalog.cachedResponses.holds($0.id) }
                .map(DamagedResponse.init)
        }
        return damaged
    }

    private func changed(of responses: [CachedResponse], pace: ReadingPace) throws -> [CachedResponse] {
        let changed = Mutex<[Int]>([])
        let next = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: min(pace.workerCount, responses.count)) { _ in
            while case let number = next.add(1, ordering: .relaxed).oldValue, number < responses.count {
                // A body that wasn't read to its end, because the task was cancelled, doesn't count as changed.
                let isIntact = try? self.isIntact(responses[number], pace: pace)
                if isIntact == false { changed.withLock { $0.append(number) } }
            }
        }
        try Task.checkCancellation()
        return changed.withLock { $0 }.sorted().map { responses[$0] }
    }

    // MARK: - Room

    /// Reserves bytes for a body that is being written. Under a quota the oldest responses make room for it.
    ///
    /// - Parameter total: The length of the body so far, including these bytes.
    /// - Returns: False when the cache has no room for all the bodies that are being written.
    func reserve(_ byteCount: Int64, ofBody total: Int64) throws -> Bool {
        if total <= StagedBodies.smallByteCount { return stagedBodies.reserve(byteCount, within: .max) }
        let (room, hasQuota) = try catalog.storage.cacheRoom(within: limits.maximumByteCount)
        guard stagedBodies.reserve(byteCount, within: room) else { return false }
        if hasQuota { writer.evict() }
        return true
    }

    /// Drops the responses of a bundle, or of all bundles.
    ///
    /// - Returns: The number of dropped responses, and the sum of their bodies' lengths in bytes.
    func clear(of bundle: BundleName?) throws -> (count: Int, byteCount: Int64) {
        writer.drain()
        return try StoreAccess.run(at: path) {
            let removed = try catalog.cachedResponses.removeAll(of: bundle, noting: changes)
            changes.noteRemoval()
            writer.remove(removed)
            if removed.count > 0 { catalog.connection.shrink() }
            return (removed.count, removed.byteCount)
        }
    }
}

/// A cached response that verification has found to be damaged.
struct DamagedResponse: Sendable {
    let id: Int64
    /// A readable name for messages.
    let label: String
    let damage: StoreDamage
}

extension DamagedResponse {
    init(_ response: CachedResponse) {
        self.init(id: response.id, label: response.label, damage: response.damage)
    }

    /// A response whose row can't be read.
    init(row id: Int64, of bundle: BundleName?) {
        let label = "row \(id) of the cache"
        let problem = "\(label) is damaged, and counts as absent"
        let damage = StoreDamage(bundle: bundle, version: nil, problem, .repair(.response))
        self.init(id: id, label: label, damage: damage)
    }
}
