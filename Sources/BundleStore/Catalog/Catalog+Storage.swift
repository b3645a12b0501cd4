import GRDB
import SystemPackage

extension Catalog {
    /// The quota in bytes, if there is one, and what the catalog refers to.
    func storage() throws -> (quota: Int64?, inventory: StorageInventory) {
        try read { (try Self.quota(in: $0), try inventory(in: $0)) }
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

    /// Runs `body`, which adds `release`, and then forgets what the quota has no room for any more. The files go with the
    /// next pruning.
    ///
    /// - Throws: What `body` throws; ``BundleError`` with code `quotaExceeded` when nothing is left that may be forgotten.
    func keepingQuota(for release: NewRelease, in database: Database, _ body: () throws -> Void) throws {
        guard let quota = try Self.quota(in: database) else { return try body() }
        let before = try inventory(in: database).byteCount
        try body()
        let inventory = try inventory(in: database)
        let decision = QuotaPolicy.decide(inventory, quota: quota)
        guard decision.byteCount <= quota else {
            let needed = max(inventory.byteCount - before, 0)
            throw BundleError(
                .quotaExceeded,
                "\(release.name)@\(release.version) needs \(needed) bytes more, and the store in \(layout.root) may have "
                    + "\(quota): \(before) are in use, and \(inventory.byteCount - decision.byteCount) could be freed; raise "
                    + "the quota with “bundlectl quota”, or remove or unpin versions"
            )
        }
        for id in decision.responses {
            try database.execute(sql: "DELETE FROM cachedResponse WHERE id = ?", arguments: [id])
        }
        try Self.remove(decision.releases, in: database)
    }

    /// The limits, and those that the quota leaves to the cache.
    func withinQuota(_ limits: CacheLimits, in database: Database) throws -> CacheLimits {
        guard let quota = try Self.quota(in: database) else { return limits }
        var limits = limits
        let content = try releaseInventory(in: database).contentByteCount
        limits.maximumByteCount = max(min(limits.maximumByteCount, quota - content), 0)
        return limits
    }

    private static func quota(in database: Database) throws -> Int64? {
        try Int64.fetchOne(database, sql: "SELECT byteCount FROM quota")
    }

    private func inventory(in database: Database) throws -> StorageInventory {
        var inventory = try releaseInventory(in: database)
        inventory.responses = try Row.fetchAll(
            database,
            sql: "SELECT id, byteCount FROM cachedResponse ORDER BY storedAt, id"
        )
        .map { row in
            StorageInventory.Response(
                id: try row.decode(forColumn: "id"),
                // A damaged number must not overflow a sum.
                byteCount: min(max(try row.decode(forColumn: "byteCount"), 0), Self.maximumByteCount)
            )
        }
        return inventory
    }

    private static let maximumByteCount: Int64 = 1 << 40

    private func releaseInventory(in database: Database) throws -> StorageInventory {
        var inventory = StorageInventory()
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT release.id, indexFile, activatedAt IS NOT NULL AND NOT isPinned AND bundle.active IS NULL AS isRemovable
                FROM release LEFT JOIN bundle ON bundle.active = release.id ORDER BY activationNumber, release.id
                """
        )
        for row in rows {
            let id: Int64 = try row.decode(forColumn: "id")
            let index = try row.decode(String.self, forColumn: "indexFile")
            let segments = try String.fetchAll(
                database,
                sql: "SELECT segment FROM releaseSegment WHERE release = ?",
                arguments: [id]
            )
            var files: Set<String> = [index + StoreLayout.indexSuffix]
            inventory.byteCounts[index + StoreLayout.indexSuffix] = byteCount(index, layout.index)
            for segment in segments where files.insert(segment + StoreLayout.segmentSuffix).inserted {
                let file = segment + StoreLayout.segmentSuffix
                inventory.byteCounts[file] = inventory.byteCounts[file] ?? byteCount(segment, layout.segment)
            }
            inventory.releases.append(
                StorageInventory.Holding(id: id, files: files, isRemovable: try row.decode(forColumn: "isRemovable"))
            )
        }
        return inventory
    }

    /// The length of a file; 0 for one that is missing.
    private func byteCount(_ name: String, _ path: (FileIdentifier) -> FilePath) -> Int64 {
        FileIdentifier(name: name).flatMap { try? Int64(path($0).stat().size) } ?? 0
    }
}
