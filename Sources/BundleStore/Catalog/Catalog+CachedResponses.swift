import Foundation
import GRDB

extension Catalog {
    /// The responses for a URL, or all of them, latest first. A row that can't be read counts as absent.
    func cachedResponses(url: String?) throws -> [CachedResponseRecord] {
        try read { database in
            try Row.fetchAll(
                database,
                sql: "SELECT * FROM cachedResponse WHERE ? IS NULL OR url = ? ORDER BY storedAt DESC, id DESC",
                arguments: [url, url]
            )
            .compactMap { try? CachedResponseRecord($0) }
        }
    }

    /// The rows that can't be read, with the bundle that they name, if any.
    func unreadableCachedResponses() throws -> [(id: Int64, bundle: BundleName?)] {
        try read { database in
            let sql = "SELECT \(DigestedTable.cachedResponse.selection) FROM cachedResponse ORDER BY id"
            return try Row.fetchAll(database, sql: sql).compactMap { row in
                guard (try? CachedResponseRecord(row)) == nil else { return nil }
                return (try row.decode(forColumn: "id"), row.text("bundle").flatMap(BundleName.init))
            }
        }
    }

    func holdsCachedResponse(_ id: Int64) throws -> Bool {
        try read { database in
            try Bool.fetchOne(
                database,
                sql: "SELECT EXISTS (SELECT 1 FROM cachedResponse WHERE id = ?)",
                arguments: [id]
            ) ?? false
        }
    }

    /// Adds a response and removes those that it replaces.
    ///
    /// - Returns: Whether it was added: it isn't when another version has become active since the request.
    func insertCachedResponse(
        url: String,
        bundle: BundleName,
        version: BundleVersion,
        metadata: [UInt8],
        body: FileIdentifier,
        byteCount: Int64,
        digest: Digest,
        at date: Date,
        replacing replaced: [Int64]
    ) throws -> Bool {
        try write { database in
            for id in replaced {
                try database.execute(sql: "DELETE FROM cachedResponse WHERE id = ?", arguments: [id])
            }
            try database.execute(
                sql: """
                    INSERT INTO cachedResponse (url, bundle, version, metadata, body, byteCount, digest, storedAt)
                    SELECT ?, bundle, version, ?, ?, ?, ?, ? FROM release
                    WHERE bundle = ? AND version = ? AND id IN (SELECT active FROM bundle)
                    """,
                arguments: [
                    url, Data(metadata), body.name, byteCount, digest.hex, date.timeIntervalSince1970,
                    bundle.string, version.string,
                ]
            )
            guard database.changesCount > 0 else { return false }
            try DigestedTable.cachedResponse.sign(database.lastInsertedRowID, in: database)
            return true
        }
    }

    func updateCachedResponse(_ id: Int64, metadata: [UInt8]) throws {
        try write { database in
            try DigestedTable.cachedResponse.changing(id, in: database) {
                try database.execute(
                    sql: "UPDATE cachedResponse SET metadata = ? WHERE id = ?",
                    arguments: [Data(metadata), id]
                )
            }
        }
    }

    /// Returns whether it existed.
    @discardableResult
    func removeCachedResponse(_ id: Int64) throws -> Bool {
        try write { database in
            try database.execute(sql: "DELETE FROM cachedResponse WHERE id = ?", arguments: [id])
            return database.changesCount > 0
        }
    }

    /// The body of a removed response. The row may have been damaged, so nothing else is read from it.
    struct RemovedBody {
        let name: String
        let byteCount: Int64
    }

    /// Removes the responses of a bundle, or all of them.
    func removeCachedResponses(of bundle: BundleName?) throws -> [RemovedBody] {
        try write { database in
            try Self.removedBodies(
                by: "DELETE FROM cachedResponse WHERE ? IS NULL OR bundle = ? RETURNING body, byteCount",
                [bundle?.string, bundle?.string],
                in: database
            )
        }
    }

    /// Removes the oldest responses until the rest are within the limits, and the store is within its quota.
    ///
    /// - Parameter staged: The bytes of bodies that are being written, which count towards the quota.
    func evictCachedResponses(beyond limits: CacheLimits, beside staged: Int64) throws -> [RemovedBody] {
        try write { database in
            let limits = try withinQuota(limits, beside: staged, in: database)
            return try Self.removedBodies(
                by: """
                    DELETE FROM cachedResponse WHERE id IN (
                        SELECT id FROM (
                            SELECT id, row_number() OVER latest AS number, sum(
                                CASE WHEN typeof(byteCount) = 'integer' AND byteCount BETWEEN 0 AND ?
                                THEN byteCount ELSE 0 END
                            ) OVER latest AS total
                            FROM cachedResponse WINDOW latest AS (ORDER BY storedAt DESC, id DESC)
                        ) WHERE number > ? OR total > ?
                    ) RETURNING body, byteCount
                    """,
                [Self.maximumByteCount, limits.maximumCount, limits.maximumByteCount],
                in: database
            )
        }
    }

    /// The length of a body according to its row; 0 when the value is invalid, so that it neither overflows a sum nor
    /// evicts other responses.
    static func bodyByteCount(_ row: Row) -> Int64 {
        let byteCount = row.value("byteCount", as: Int64.self) ?? 0
        return (0...maximumByteCount).contains(byteCount) ? byteCount : 0
    }

    private static let maximumByteCount: Int64 = 1 << 40

    private static func removedBodies(
        by sql: String,
        _ arguments: StatementArguments,
        in database: Database
    ) throws -> [RemovedBody] {
        try Row.fetchAll(database, sql: sql, arguments: arguments).map { row in
            RemovedBody(name: row.text("body") ?? "", byteCount: bodyByteCount(row))
        }
    }
}
