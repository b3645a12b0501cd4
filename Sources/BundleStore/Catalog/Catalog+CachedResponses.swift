import Foundation
import GRDB

extension Catalog {
    /// The responses for a URL, or all of them, the latest first.
    func cachedResponses(url: String?) throws -> [CachedResponseRecord] {
        try database.read { database in
            try Row.fetchAll(
                database,
                sql: "SELECT * FROM cachedResponse WHERE ? IS NULL OR url = ? ORDER BY storedAt DESC, id DESC",
                arguments: [url, url]
            )
            .map(CachedResponseRecord.init)
        }
    }

    /// Adds a response, in place of others.
    ///
    /// - Returns: Whether it was added: not when another version has become the active one since it was asked for.
    func insertCachedResponse(
        url: String,
        bundle: BundleName,
        version: BundleVersion,
        metadata: [UInt8],
        body: FileIdentifier,
        byteCount: Int64,
        at date: Date,
        replacing replaced: [Int64]
    ) throws -> Bool {
        try database.write { database in
            for id in replaced {
                try database.execute(sql: "DELETE FROM cachedResponse WHERE id = ?", arguments: [id])
            }
            try database.execute(
                sql: """
                    INSERT INTO cachedResponse (url, bundle, version, metadata, body, byteCount, storedAt)
                    SELECT ?, bundle, version, ?, ?, ?, ? FROM release
                    WHERE bundle = ? AND version = ? AND id IN (SELECT active FROM bundle)
                    """,
                arguments: [
                    url, Data(metadata), body.name, byteCount, date.timeIntervalSince1970,
                    bundle.string, version.string,
                ]
            )
            return database.changesCount > 0
        }
    }

    func updateCachedResponse(_ id: Int64, metadata: [UInt8]) throws {
        try database.write { database in
            try database.execute(
                sql: "UPDATE cachedResponse SET metadata = ? WHERE id = ?",
                arguments: [Data(metadata), id]
            )
        }
    }

    func removeCachedResponse(_ id: Int64) throws {
        try database.write { database in
            try database.execute(sql: "DELETE FROM cachedResponse WHERE id = ?", arguments: [id])
        }
    }

    /// Removes the responses of a bundle, or all of them, and returns what was removed.
    func removeCachedResponses(of bundle: BundleName?) throws -> [CachedResponseRecord] {
        try database.write { database in
            try Row.fetchAll(
                database,
                sql: "DELETE FROM cachedResponse WHERE ? IS NULL OR bundle = ? RETURNING *",
                arguments: [bundle?.string, bundle?.string]
            )
            .map(CachedResponseRecord.init)
        }
    }
}
