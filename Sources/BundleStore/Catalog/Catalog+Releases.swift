import Foundation
import GRDB

extension Catalog {
    /// Every release, the latest activated first, and the generation they belong to, read in one transaction. A row that
    /// can't be read is told as damage: the others have nothing to do with it.
    func releases() throws -> (generation: Int64, releases: [ReleaseRecord], damage: [StoreDamage]) {
        try read { database in
            let generation = try Int64.fetchOne(database, sql: "SELECT value FROM generation") ?? 0
            let rows = try Row.fetchAll(
                database,
                sql: ReleaseRecord.selection + " ORDER BY bundle, activationNumber DESC NULLS LAST, id DESC"
            )
            var (releases, damage): ([ReleaseRecord], [StoreDamage]) = ([], [])
            for row in rows {
                if let release = try? ReleaseRecord(row) {
                    releases.append(release)
                } else {
                    let id: Int64 = try row.decode(forColumn: "id")
                    let (bundle, version) = (row.text("bundle"), row.text("version"))
                    let isActive = row.value("isActive", as: Bool.self) ?? false
                    var row = StoreDamage(
                        row: id,
                        bundle.flatMap(BundleName.init),
                        version.flatMap(BundleVersion.init)
                    )
                    row.isOfActiveRow = isActive
                    damage.append(row)
                }
            }
            return (generation, releases, damage)
        }
    }

    /// Adds a release, in place of one with the same name and version, which passes its pin on, and its place among the
    /// retained ones.
    ///
    /// - Parameter activatedAt: When it becomes the active one, or nil when it doesn't.
    /// - Throws: ``BundleError`` with code `quotaExceeded` when the store's quota has no room for it; nothing has changed.
    func insert(_ release: NewRelease, installedAt: Date, activatedAt: Date?) throws {
        try change { database in
            try keepingQuota(for: release, in: database) {
                let replaced = try Row.fetchOne(
                    database,
                    sql: "SELECT * FROM release WHERE bundle = ? AND version = ?",
                    arguments: [release.name.string, release.version.string]
                )
                let wasActive = try replaced.map { try Self.forget($0.decode(forColumn: "id"), in: database) } ?? false
                let isPinned = (try? replaced?.decode(Bool.self, forColumn: "isPinned")) ?? false
                let id = try Self.add(release, isPinned: isPinned, at: installedAt, in: database)
                guard activatedAt != nil || wasActive else {
                    try Self.passActivation(from: replaced, to: id, in: database)
                    return id
                }
                try Self.activate(
                    id,
                    of: release.name,
                    at: activatedAt ?? installedAt,
                    holding: try Self.hold(of: release.name, after: release.version, in: database),
                    in: database
                )
                return id
            }
        }
    }

    /// - Parameter replaced: The row of the replaced release, which may be damaged; nil when there was none.
    private static func passActivation(from replaced: Row?, to id: Int64, in database: Database) throws {
        guard let date = try? replaced?.decode(Double.self, forColumn: "activatedAt"),
            let number = try? replaced?.decode(Int64.self, forColumn: "activationNumber")
        else { return }
        try database.execute(
            sql: "UPDATE release SET activatedAt = ?, activationNumber = ? WHERE id = ?",
            arguments: [date, number, id]
        )
    }

    private static func add(
        _ release: NewRelease,
        isPinned: Bool,
        at date: Date,
        in database: Database
    ) throws -> Int64 {
        try database.execute(
            sql: """
                INSERT INTO release
                (bundle, version, manifest, indexFile, contentDigest, fileCount, byteCount, installedAt, isPinned)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                release.name.string, release.version.string, Data(release.manifest), release.index.name,
                release.contentDigest.hex, release.fileCount, release.byteCount, date.timeIntervalSince1970, isPinned,
            ]
        )
        let id = database.lastInsertedRowID
        try setSegments(release.segments, of: id, in: database)
        try database.execute(
            sql: "INSERT INTO bundle (name) VALUES (?) ON CONFLICT DO NOTHING",
            arguments: [release.name.string]
        )
        return id
    }

    /// Makes a release that is installed once more the active one.
    func reactivate(_ release: ReleaseRecord, at date: Date) throws {
        try change { database in
            let held = try Self.hold(of: release.name, after: release.version, in: database)
            try Self.activate(release.id, of: release.name, at: date, holding: held, in: database)
        }
    }

    /// What is held back once `version` has been installed: a rollback is undone by what reaches the version that it left,
    /// not by a lower one.
    private static func hold(
        of name: BundleName,
        after version: BundleVersion,
        in database: Database
    ) throws -> BundleVersion? {
        let held = try String.fetchOne(
            database,
            sql: "SELECT heldVersion FROM bundle WHERE name = ?",
            arguments: [name.string]
        )
        return held.flatMap(BundleVersion.init).flatMap { version < $0 ? $0 : nil }
    }

    /// Makes a release the active one.
    ///
    /// - Parameter held: The version that an update must exceed from now on, besides the active one.
    func activate(_ release: ReleaseRecord, at date: Date, holding held: BundleVersion?) throws {
        try change { database in
            try Self.activate(release.id, of: release.name, at: date, holding: held, in: database)
        }
    }

    /// Removes releases; a bundle whose last release goes is forgotten.
    func remove(_ releases: [ReleaseRecord]) throws {
        try change { try Self.remove(releases.map(\.id), in: $0) }
    }

    /// Removes a release that can't be opened.
    func remove(_ name: BundleName, _ version: BundleVersion) throws {
        try change { database in
            let releases = try Int64.fetchAll(
                database,
                sql: "SELECT id FROM release WHERE bundle = ? AND version = ?",
                arguments: [name.string, version.string]
            )
            try Self.remove(releases, in: database)
        }
    }

    /// Removes every release of a bundle, also those whose files or rows can't be read, and returns their versions as far as
    /// the rows tell them.
    func removeAll(of name: BundleName) throws -> [BundleVersion] {
        try change { database in
            let releases = try Row.fetchAll(
                database,
                sql: """
                    SELECT id, version FROM release WHERE bundle = ?
                    ORDER BY activationNumber DESC NULLS LAST, id DESC
                    """,
                arguments: [name.string]
            )
            try Self.remove(try releases.map { try $0.decode(forColumn: "id") }, in: database)
            return releases.compactMap { $0.text("version").flatMap(BundleVersion.init) }
        }
    }

    /// Every file that the catalog refers to. What is no name of a file refers to none.
    func referencedFiles() throws -> ReferencedFiles {
        try read { database in
            func identifiers(_ sql: String) throws -> Set<FileIdentifier> {
                let names = try DatabaseValue.fetchAll(database, sql: sql).compactMap(String.fromDatabaseValue)
                return Set(names.compactMap { FileIdentifier(name: $0) })
            }
            return ReferencedFiles(
                segments: try identifiers("SELECT segment FROM releaseSegment"),
                indexes: try identifiers("SELECT indexFile FROM release"),
                bodies: try identifiers("SELECT body FROM cachedResponse")
            )
        }
    }

    private static func activate(
        _ id: Int64,
        of name: BundleName,
        at date: Date,
        holding held: BundleVersion?,
        in database: Database
    ) throws {
        try database.execute(
            sql: """
                UPDATE release SET activatedAt = ?,
                activationNumber = (SELECT coalesce(max(activationNumber), 0) + 1 FROM release)
                WHERE id = ?
                """,
            arguments: [date.timeIntervalSince1970, id]
        )
        try database.execute(
            sql: "UPDATE bundle SET active = ?, heldVersion = ? WHERE name = ?",
            arguments: [id, held?.string, name.string]
        )
        // What was fetched under another version may not suit this one.
        try database.execute(
            sql: """
                DELETE FROM cachedResponse
                WHERE bundle = ? AND version <> (SELECT version FROM release WHERE id = ?)
                """,
            arguments: [name.string, id]
        )
    }

    static func remove(_ releases: [Int64], in database: Database) throws {
        for release in releases { _ = try forget(release, in: database) }
        try database.execute(sql: "DELETE FROM bundle WHERE name NOT IN (SELECT bundle FROM release)")
        try database.execute(sql: "DELETE FROM cachedResponse WHERE bundle NOT IN (SELECT bundle FROM release)")
    }

    /// Returns whether the release was the active one.
    private static func forget(_ id: Int64, in database: Database) throws -> Bool {
        try database.execute(sql: "UPDATE bundle SET active = NULL WHERE active = ?", arguments: [id])
        let wasActive = database.changesCount > 0
        try database.execute(sql: "DELETE FROM release WHERE id = ?", arguments: [id])
        return wasActive
    }
}
