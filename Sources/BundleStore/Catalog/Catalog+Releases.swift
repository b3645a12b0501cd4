import Foundation
import GRDB

extension Catalog {
    /// What ``releases()`` reads in one transaction.
    struct Contents {
        let generation: Int64
        /// The latest activated first.
        let releases: [ReleaseRecord]
        /// The rows that can't be read: the others have nothing to do with them.
        let damage: [StoreDamage]
        let publishers: [BundleName: PublisherRecord]
    }

    /// Every release, and the generation that they belong to.
    func releases() throws -> Contents {
        try read { database in
            let generation = try Int64.fetchOne(database, sql: "SELECT value FROM generation") ?? 0
            let rows = try InstalledRows(in: database)
            return Contents(
                generation: generation,
                releases: rows.releases,
                damage: rows.damage,
                publishers: try Self.publishers(in: database)
            )
        }
    }

    /// Adds a release, in place of one with the same name and version, which passes its pin on, and its place among the
    /// retained ones.
    ///
    /// - Parameters:
    ///   - replacing: Whether it may take the place of other content. Otherwise it has to be what the row was written for, be
    ///     that row damaged or not.
    ///   - activatedAt: When it becomes the active one, or nil when it doesn't.
    ///   - permitted: The bundles that its origins may overlap.
    ///   - standIns: The releases that answer in place of damaged ones, which the quota doesn't take.
    ///   - givesUpPrevious: Whether the quota may take the version that a rollback leads to.
    /// - Returns: What the quota had no room for any more.
    /// - Throws: ``BundleError`` with code `quotaExceeded` when the store's quota has no room for it, `originConflict` when
    ///   it claims URLs of another bundle, `versionConflict` when other content is there and `replacing` is false; nothing has
    ///   changed.
    func insert(
        _ release: NewRelease,
        replacing: Bool,
        installedAt: Date,
        activatedAt: Date?,
        permittingOverlapWith permitted: Set<BundleName>,
        keeping standIns: Set<Int64>,
        givingUpPrevious givesUpPrevious: Bool
    ) throws -> QuotaRemoval {
        try change { database in
            try keepingQuota(for: release, keeping: standIns, givingUpPrevious: givesUpPrevious, in: database) {
                let replaced = try Self.row(of: release, in: database)
                let isRepair = replaced.map(release.isRecorded) ?? false
                guard replaced == nil || isRepair || replacing else {
                    throw BundleError(conflictWith: release.name, release.version)
                }
                let bundle = try InstalledRows(in: database).bundles[release.name]
                let replacedID: Int64? = try replaced?.decode(forColumn: "id")
                let wasActive = replacedID != nil && bundle?.active == replacedID
                if !isRepair || activatedAt != nil && !wasActive {
                    // A repair claims what the release did.
                    let claims = (release.name, release.version, release.manifest)
                    try Self.checkClaims(of: claims, permitting: permitted, in: database)
                }
                if let replacedID { try Self.forget(replacedID, in: database) }
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
                    holding: Self.hold(of: bundle, after: release.version),
                    in: database
                )
                return id
            }
        }
    }

    /// What the catalog has under the name and version of a release. Where damage has made bytes of the text, they name it
    /// still.
    private static func row(of release: NewRelease, in database: Database) throws -> Row? {
        try Row.fetchOne(
            database,
            sql: """
                SELECT * FROM release WHERE CAST(bundle AS TEXT) = ? AND CAST(version AS TEXT) = ?
                ORDER BY typeof(bundle) DESC, typeof(version) DESC
                """,
            arguments: [release.name.string, release.version.string]
        )
    }

    /// - Parameter replaced: The row of the replaced release, which may be damaged; nil when there was none.
    private static func passActivation(from replaced: Row?, to id: Int64, in database: Database) throws {
        guard let date = try? replaced?.decode(Double.self, forColumn: "activatedAt"),
            let number = try? replaced?.decode(Int64.self, forColumn: "activationNumber"),
            (0...maximumActivationNumber).contains(number)
        else { return }
        try DigestedTable.release.changing(id, in: database) {
            try database.execute(
                sql: "UPDATE release SET activatedAt = ?, activationNumber = ?, heldVersion = ? WHERE id = ?",
                arguments: [date, number, replaced?.text("heldVersion"), id]
            )
        }
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
        try DigestedTable.release.sign(id, in: database)
        try setSegments(release.segments, of: id, in: database)
        try enterBundle(of: id, in: database)
        return id
    }

    /// Gives the bundle of a release a row, when it is its only release. Where others have lost theirs, a new one would say
    /// that none of them is active.
    static func enterBundle(of release: Int64, in database: Database) throws {
        try database.execute(
            sql: """
                INSERT INTO bundle (name) SELECT bundle FROM release WHERE id = ?
                AND NOT EXISTS (SELECT 1 FROM release AS other WHERE other.bundle = release.bundle AND other.id <> ?)
                ON CONFLICT DO NOTHING
                """,
            arguments: [release, release]
        )
        guard database.changesCount > 0,
            let name = try String.fetchOne(
                database,
                sql: "SELECT bundle FROM release WHERE id = ?",
                arguments: [release]
            )
        else { return }
        try DigestedTable.bundle.sign(name, in: database)
    }

    /// Makes a release that is installed once more the active one.
    ///
    /// - Throws: As ``activate(_:at:holding:permittingOverlapWith:)``.
    func reactivate(
        _ release: ReleaseRecord,
        at date: Date,
        permittingOverlapWith permitted: Set<BundleName>
    ) throws {
        try change { database in
            try Self.checkClaims(of: release.claims, permitting: permitted, in: database)
            let held = Self.hold(of: try InstalledRows(in: database).bundles[release.name], after: release.version)
            try Self.activate(release.id, of: release.name, at: date, holding: held, in: database)
        }
    }

    /// What is held back once `version` has been installed: a rollback is undone by what reaches the version that it left,
    /// not by a lower one.
    private static func hold(of bundle: BundleRecord?, after version: BundleVersion) -> BundleVersion? {
        bundle?.heldVersion.flatMap { version < $0 ? $0 : nil }
    }

    /// Makes a release the active one.
    ///
    /// - Parameters:
    ///   - held: The version that an update must exceed from now on, besides the active one.
    ///   - permitted: The bundles that its origins may overlap.
    /// - Throws: ``BundleError`` with code `originConflict` when it claims URLs of another bundle; nothing has changed.
    func activate(
        _ release: ReleaseRecord,
        at date: Date,
        holding held: BundleVersion?,
        permittingOverlapWith permitted: Set<BundleName>
    ) throws {
        try change { database in
            try Self.checkClaims(of: release.claims, permitting: permitted, in: database)
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
        try DigestedTable.release.changing(id, in: database) {
            try database.execute(
                sql: """
                    UPDATE release SET activatedAt = ?, heldVersion = ?,
                    activationNumber =
                    (SELECT coalesce(max(activationNumber), 0) + 1 FROM release WHERE activationNumber BETWEEN 0 AND ?)
                    WHERE id = ?
                    """,
                arguments: [date.timeIntervalSince1970, held?.string, maximumActivationNumber, id]
            )
        }
        try write(BundleRecord(name: name, active: id, heldVersion: held), in: database)
        try notePublisher(of: name, by: id, in: database)
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
        for release in releases { try forget(release, in: database) }
        try database.execute(sql: "DELETE FROM bundle WHERE name NOT IN (SELECT bundle FROM release)")
        try database.execute(sql: "DELETE FROM cachedResponse WHERE bundle NOT IN (SELECT bundle FROM release)")
        try forgetPublishers(in: database)
    }

    /// More than any store comes to. A higher number is damage, and isn't to be exceeded.
    static let maximumActivationNumber: Int64 = 1 << 48

    /// Writes a bundle's row, whatever was there.
    static func write(_ bundle: BundleRecord, in database: Database) throws {
        try database.execute(
            sql: """
                INSERT INTO bundle (name, active, heldVersion) VALUES (?, ?, ?)
                ON CONFLICT (name) DO UPDATE SET active = excluded.active, heldVersion = excluded.heldVersion
                """,
            arguments: [bundle.name.string, bundle.active, bundle.heldVersion?.string]
        )
        try DigestedTable.bundle.sign(bundle.name.string, in: database)
    }

    private static func forget(_ id: Int64, in database: Database) throws {
        let names = try DatabaseValue.fetchAll(
            database,
            sql: "SELECT name FROM bundle WHERE active = ?",
            arguments: [id]
        )
        for name in names {
            try DigestedTable.bundle.changing(name, in: database) {
                try database.execute(sql: "UPDATE bundle SET active = NULL WHERE name = ?", arguments: [name])
            }
        }
        try database.execute(sql: "DELETE FROM release WHERE id = ?", arguments: [id])
    }
}

extension ReleaseRecord {
    fileprivate var claims: (name: BundleName, version: BundleVersion, manifest: [UInt8]) { (name, version, manifest) }
}
