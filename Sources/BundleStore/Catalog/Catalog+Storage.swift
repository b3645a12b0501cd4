import GRDB
import SystemPackage

extension Catalog {
    /// The quota in bytes, if there is one, and what the catalog refers to.
    func storage() throws -> (quota: Int64?, files: StorageFiles) {
        try read { (try Self.quota(in: $0), try files(in: $0)) }
    }

    /// By how many bytes the files have more than the quota; 0 when they don't.
    func excessByteCount() throws -> Int64 {
        let (quota, files) = try storage()
        return quota.map { max(files.byteCount(in: layout) - $0, 0) } ?? 0
    }

    func setQuota(_ byteCount: Int64?) throws {
        try write { database in
            try database.execute(sql: "DELETE FROM quota")
            if let byteCount { try database.execute(sql: "INSERT INTO quota VALUES (1, ?)", arguments: [byteCount]) }
        }
    }

    func setPinned(_ isPinned: Bool, _ release: ReleaseRecord) throws {
        try change { database in
            try database.execute(
                sql: "UPDATE release SET isPinned = ? WHERE id = ?",
                arguments: [isPinned, release.id]
            )
        }
    }

    /// Runs `body`, which adds `release` and returns its row, and then forgets what the quota has no room for any more, but
    /// never that release. The files go with the next pruning, which also compacts what it takes.
    ///
    /// - Throws: What `body` throws; ``BundleError`` with code `quotaExceeded` when nothing is left that may be forgotten.
    func keepingQuota(for release: NewRelease, in database: Database, _ body: () throws -> Int64) throws {
        guard let quota = try Self.quota(in: database) else {
            _ = try body()
            return
        }
        let before = try files(in: database)
        let files = try files(keeping: try body(), in: database)
        // Going through the indexes takes its time.
        guard files.byteCount(in: layout) > quota else { return }
        let decision = QuotaPolicy.decide(StorageInventory(files, in: layout), quota: quota)
        guard decision.byteCount <= quota else {
            let neededByteCount = files.byteCount(in: layout) - before.byteCount(in: layout)
            throw BundleError(
                .quotaExceeded,
                "\(release.name)@\(release.version) needs \(max(neededByteCount, 0)) bytes more, and the store in "
                    + "\(layout.root) may have \(quota): \(before.byteCount(in: layout)) are in use, and "
                    + "\(removableByteCount(of: before)) of them could be freed; raise the quota with “bundlectl quota "
                    + "\(decision.byteCount)B”, or remove or unpin versions"
            )
        }
        for id in decision.responses {
            try database.execute(sql: "DELETE FROM cachedResponse WHERE id = ?", arguments: [id])
        }
        try Self.remove(decision.releases, in: database)
    }

    /// How many bytes of the files an install may free: what may be forgotten, and what nothing refers to any more.
    func removableByteCount(of files: StorageFiles) -> Int64 {
        let kept = QuotaPolicy.decide(StorageInventory(files, in: layout), quota: 0).byteCount
        return max(files.byteCount(in: layout) - kept, 0)
    }

    /// The limits, and those that the quota leaves to the cache.
    func withinQuota(_ limits: CacheLimits, in database: Database) throws -> CacheLimits {
        guard let quota = try Self.quota(in: database) else { return limits }
        var limits = limits
        let content = StorageFiles(releases: try releaseFiles(in: database)).contentByteCount(in: layout)
        limits.maximumByteCount = max(min(limits.maximumByteCount, quota - content), 0)
        return limits
    }

    /// Nil also when what stands there can't be one.
    private static func quota(in database: Database) throws -> Int64? {
        try DatabaseValue.fetchOne(database, sql: "SELECT byteCount FROM quota")
            .flatMap(Int64.fromDatabaseValue).flatMap { $0 > 0 ? $0 : nil }
    }

    /// Whether a quota has been set and what stands there can't be one.
    func isQuotaDamaged() throws -> Bool {
        try read { database in
            try DatabaseValue.fetchOne(database, sql: "SELECT byteCount FROM quota") != nil
                && Self.quota(in: database) == nil
        }
    }

    /// - Parameter kept: The release that doesn't go, whatever its state is.
    private func files(keeping kept: Int64? = nil, in database: Database) throws -> StorageFiles {
        let responses = try Row.fetchAll(
            database,
            sql: "SELECT id, byteCount FROM cachedResponse ORDER BY storedAt, id"
        )
        .map { row in
            StorageInventory.Response(id: try row.decode(forColumn: "id"), byteCount: Self.bodyByteCount(row))
        }
        return StorageFiles(releases: try releaseFiles(keeping: kept, in: database), responses: responses)
    }

    private func releaseFiles(keeping kept: Int64? = nil, in database: Database) throws -> [StorageFiles.Release] {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT release.id, indexFile, activatedAt IS NOT NULL AND NOT isPinned AND bundle.active IS NULL
                AND release.id IS NOT ? AS isRemovable
                FROM release LEFT JOIN bundle ON bundle.active = release.id
                ORDER BY isRemovable DESC, activationNumber, release.id
                """,
            arguments: [kept]
        )
        return try rows.map { row in
            let id: Int64 = try row.decode(forColumn: "id")
            let segments = try Row.fetchAll(
                database,
                sql: "SELECT segment FROM releaseSegment WHERE release = ?",
                arguments: [id]
            )
            return StorageFiles.Release(
                id: id,
                index: row.text("indexFile").flatMap { FileIdentifier(name: $0) },
                segments: Set(segments.compactMap { $0.text("segment").flatMap { FileIdentifier(name: $0) } }),
                isRemovable: try row.decode(forColumn: "isRemovable")
            )
        }
    }
}
