import GRDB
import Synchronization
import SystemPackage

/// The table `quota`, and what room the files take that the catalog refers to.
///
/// Thread-safe.
final class StorageTables: Sendable {
    private let connection: CatalogConnection
    /// The size of the releases' files, as of a generation.
    private let knownContent = Mutex<KnownContent?>(nil)

    init(_ connection: CatalogConnection) {
        self.connection = connection
    }

    private var layout: StoreLayout { connection.layout }

    /// The quota in bytes, if any, and what the catalog refers to.
    ///
    /// - Parameter kept: The releases that can't be removed, regardless of their states.
    func use(keeping kept: Set<Int64> = []) throws -> (quota: Int64?, files: StorageFiles) {
        try connection.read { (try Self.quota(in: $0), try files(InstalledRows(in: $0), keeping: kept, in: $0)) }
    }

    /// Whether there is a quota.
    func hasQuota() throws -> Bool {
        try connection.read { try Self.quota(in: $0) != nil }
    }

    /// By how many bytes the files exceed the quota; 0 when they don't.
    func excessByteCount() throws -> Int64 {
        let (quota, files) = try use()
        return quota.map { max(files.byteCount(in: layout) - $0, 0) } ?? 0
    }

    func setQuota(_ byteCount: Int64?) throws {
        try connection.write { database in
            try database.execute(sql: "DELETE FROM quota")
            guard let byteCount else { return }
            try database.execute(sql: "INSERT INTO quota (only, byteCount) VALUES (1, ?)", arguments: [byteCount])
            try DigestedTable.quota.sign(1, in: database)
        }
    }

    /// Runs `body`, which adds `release` and returns its row, and then removes what the quota has no room for, but
    /// never that release. The files are removed by the next pruning, which also compacts segments.
    ///
    /// - Parameters:
    ///   - fallbackReleases: The releases that are served in place of damaged ones. They are kept, like active ones.
    ///   - givesUpPrevious: Whether the version that a rollback of the bundle would activate may be removed too, as the
    ///     last.
    /// - Returns: What was removed.
    /// - Throws: What `body` throws; ``/BundleModel/BundleError`` with code `quotaExceeded` when nothing removable is
    ///   left.
    func keepingQuota(
        for release: NewRelease,
        keeping fallbackReleases: Set<Int64>,
        givingUpPrevious givesUpPrevious: Bool,
        in database: Database,
        _ body: () throws -> Int64
    ) throws -> QuotaRemoval {
        guard let quota = try Self.quota(in: database) else {
            _ = try body()
            return QuotaRemoval()
        }
        let before = try files(InstalledRows(in: database), keeping: fallbackReleases, in: database)
        let added = try body()
        let rows = try InstalledRows(in: database)
        let previous = rows.previous(of: release.name)
        let kept = fallbackReleases.union([added] + (givesUpPrevious ? [] : [previous].compactMap { $0?.id }))
        let files = try files(rows, keeping: kept, last: previous?.id, in: database)
        // Iterating the indexes takes a while.
        guard files.byteCount(in: layout) > quota else { return QuotaRemoval() }
        let decision = QuotaPolicy.decide(StorageInventory(files, in: layout), quota: quota)
        guard decision.byteCount <= quota else {
            let neededByteCount = files.byteCount(in: layout) - before.byteCount(in: layout)
            let mustStay = fallbackReleases.union([added])
            let remedy = try remedy(for: decision, quota, keeping: mustStay, previous, rows, in: database)
            throw BundleError(
                .quotaExceeded,
                "\(release.name)@\(release.version) needs \(ByteCount.text(max(neededByteCount, 0))) more, and the store in "
                    + "\(layout.root) may have \(ByteCount.text(quota)): "
                    + "\(ByteCount.text(before.byteCount(in: layout))) are in use, and "
                    + "\(ByteCount.text(removableByteCount(of: before))) of them could be freed",
                remedy
            )
        }
        for id in decision.responses {
            try database.execute(sql: "DELETE FROM cachedResponse WHERE id = ?", arguments: [id])
        }
        try ReleaseTables.remove(decision.releases, in: database)
        return QuotaRemoval(decision, files, rows)
    }

    private func remedy(
        for decision: QuotaPolicy.Decision,
        _ quota: Int64,
        keeping kept: Set<Int64>,
        _ previous: ReleaseRecord?,
        _ rows: InstalledRows,
        in database: Database
    ) throws -> Remedy {
        let raise = Remedy.raiseQuota(to: decision.byteCount, orGiveUp: nil)
        guard let previous, !previous.isPinned else { return raise }
        let files = try files(rows, keeping: kept, in: database)
        guard QuotaPolicy.decide(StorageInventory(files, in: layout), quota: quota).byteCount <= quota else {
            return raise
        }
        return .raiseQuota(to: decision.byteCount, orGiveUp: "\(previous.name)@\(previous.version)")
    }

    /// How many bytes of the files an install may free: what may be removed, and what nothing refers to.
    func removableByteCount(of files: StorageFiles) -> Int64 {
        let kept = QuotaPolicy.decide(StorageInventory(files, in: layout), quota: 0).byteCount
        return max(files.byteCount(in: layout) - kept, 0)
    }

    /// How many bytes the cache may have: what the quota leaves for it, and at most `maximum`.
    ///
    /// - Parameter staged: The bytes of bodies that are being written.
    func cacheByteCount(within maximum: Int64, beside staged: Int64, in database: Database) throws -> Int64 {
        guard let quota = try Self.quota(in: database) else { return maximum }
        return max(min(maximum, quota - (try contentByteCount(in: database)) - staged), 0)
    }

    /// The bytes of the releases' files. Cached until a release changes, because every stored response needs it.
    private func contentByteCount(in database: Database) throws -> Int64 {
        let generation = try CatalogGeneration.value(in: database)
        if let known = knownContent.withLock({ $0 }), known.generation == generation { return known.byteCount }
        let byteCount = StorageFiles(releases: try releaseFiles(InstalledRows(in: database), in: database))
            .contentByteCount(in: layout)
        // Below 0 while it is damaged: then it doesn't distinguish states.
        if generation >= 0 { knownContent.withLock { $0 = KnownContent(generation: generation, byteCount: byteCount) } }
        return byteCount
    }

    /// How many bytes cached bodies may have, including those being written, and whether a quota sets this limit.
    func cacheRoom(within maximum: Int64) throws -> (byteCount: Int64, hasQuota: Bool) {
        try connection.read { database in
            (
                try cacheByteCount(within: maximum, beside: 0, in: database),
                try Self.quota(in: database) != nil
            )
        }
    }

    /// Also nil when the stored value is invalid or not intact.
    private static func quota(in database: Database) throws -> Int64? {
        try Row.fetchOne(database, sql: "SELECT * FROM quota WHERE only = 1")
            .flatMap { DigestedTable.quota.isIntact($0) ? $0.value("byteCount") : nil }
            .flatMap { $0 > 0 ? $0 : nil }
    }

    /// Whether a quota has been set and its stored value is invalid.
    func isQuotaDamaged() throws -> Bool {
        try connection.read { database in
            try DatabaseValue.fetchOne(database, sql: "SELECT byteCount FROM quota") != nil
                && Self.quota(in: database) == nil
        }
    }

    /// The most that is counted as the length of a body.
    static let maximumBodyByteCount: Int64 = 1 << 40

    /// The length of a cached body according to its row; 0 when the value is invalid, so that it neither overflows a sum nor
    /// evicts other responses.
    static func bodyByteCount(_ row: Row) -> Int64 {
        row.integer("byteCount", in: 0...maximumBodyByteCount) ?? 0
    }

    /// What the catalog refers to.
    ///
    /// - Parameters:
    ///   - kept: The releases that can't be removed, regardless of their states.
    ///   - last: The release that is removed last.
    private func files(
        _ rows: InstalledRows,
        keeping kept: Set<Int64> = [],
        last: Int64? = nil,
        in database: Database
    ) throws -> StorageFiles {
        let responses = try Row.fetchAll(
            database,
            sql: "SELECT id, byteCount FROM cachedResponse ORDER BY id"
        )
        .map { row in
            StorageInventory.Response(
                id: try row.decode(forColumn: "id"),
                byteCount: Self.bodyByteCount(row)
            )
        }
        return StorageFiles(
            releases: try releaseFiles(rows, keeping: kept, last: last, in: database),
            responses: responses
        )
    }

    private func releaseFiles(
        _ rows: InstalledRows,
        keeping kept: Set<Int64> = [],
        last: Int64? = nil,
        in database: Database
    ) throws -> [StorageFiles.Release] {
        let kept = try kept.union(LifecycleTables.lastingReleases(in: database))
        let removable = rows.releases
            .filter { $0.activatedAt != nil && !$0.isPinned && !$0.isActive && !kept.contains($0.id) }
            .sorted {
                ($0.id == last ? 1 : 0, $0.activationNumber ?? 0, $0.id)
                    < ($1.id == last ? 1 : 0, $1.activationNumber ?? 0, $1.id)
            }
            .map(\.id)
        let removableIDs = Set(removable)
        // Rows that can't be read are among the others: nothing is known of them yet.
        let others = try Int64.fetchAll(database, sql: "SELECT id FROM release ORDER BY activationNumber, id")
            .filter { !removableIDs.contains($0) }
        return try (removable + others).map { id in
            try files(ofRelease: id, isRemovable: removableIDs.contains(id), in: database)
        }
    }

    private func files(ofRelease id: Int64, isRemovable: Bool, in database: Database) throws -> StorageFiles.Release {
        let index = try DatabaseValue.fetchOne(
            database,
            sql: "SELECT indexFile FROM release WHERE id = ?",
            arguments: [id]
        )
        let segments = try Row.fetchAll(
            database,
            sql: "SELECT segment FROM releaseSegment WHERE release = ?",
            arguments: [id]
        )
        return StorageFiles.Release(
            id: id,
            index: index.flatMap(String.fromDatabaseValue).flatMap { FileIdentifier(name: $0) },
            segments: Set(segments.compactMap { $0.text("segment").flatMap { FileIdentifier(name: $0) } }),
            isRemovable: isRemovable
        )
    }
}

extension InstalledRows {
    /// The version that a rollback of a bundle would activate.
    fileprivate func previous(of name: BundleName) -> ReleaseRecord? {
        // The releases are in this order.
        releases.first { $0.name == name && $0.activatedAt != nil && !$0.isActive }
    }
}

extension QuotaRemoval {
    fileprivate init(_ decision: QuotaPolicy.Decision, _ files: StorageFiles, _ rows: InstalledRows) {
        releases = decision.releases.compactMap { id in
            rows.releases.first { $0.id == id }.map {
                RemovedRelease(name: $0.name, version: $0.version, reason: .quota)
            }
        }
        responseCount = decision.responses.count
        responseByteCount = files.responses.prefix(responseCount).reduce(0) { $0 + $1.byteCount }
    }
}

/// The size in bytes of the releases' files at a generation of the catalog. A value.
struct KnownContent: Sendable {
    let generation: Int64
    let byteCount: Int64
}
