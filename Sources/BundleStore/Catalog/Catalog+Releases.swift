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
            let rows = try InstalledRows(in: database)
            return Contents(
                generation: try Self.generation(in: database),
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
    ///   - standIns: The releases that response in place of damaged ones, which the quota doesn't take.
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
                let rows = try InstalledRows(in: database)
                let replaced = try Self.row(replacedBy: release, rows, in: database)
                let isRepair = replaced.map(release.isRecorded) ?? false
                guard replaced == nil || isRepair || replacing else {
                    throw BundleError(conflictWith: release.name, release.version)
                }
                let bundle = rows.bundles[release.name]
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
                    try Self.passActivation(from: replaced, to: id, at: installedAt, in: database)
                    try Self.enterBundle(release.name, in: database)
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

    /// The row in whose place a release comes: its own, or one that has got its name. That of another release gets its own
    /// name back, where that is known.
    private static func row(
        replacedBy release: NewRelease,
        _ rows: InstalledRows,
        in database: Database
    ) throws -> Row? {
        let own = rows.rows(of: release.name, release.version)
        var named = try Int64.fetchOne(
            database,
            sql: "SELECT id FROM release WHERE bundle = ? AND version = ?",
            arguments: [release.name.string, release.version.string]
        )
        if let row = rows.damagedReleases.first(where: { $0.id == named && !own.contains($0.id) }),
            row.isNamedByManifest, let manifest = row.manifest, try rename(row.id, as: manifest, in: database)
        {
            named = nil
        }
        return try Row.fetchOne(
            database,
            sql: "SELECT \(DigestedTable.release.selection) FROM release WHERE id = ?",
            arguments: [own.first ?? named]
        )
    }

    /// - Parameters:
    ///   - replaced: The row of the replaced release, which may be damaged; nil when there was none.
    ///   - installedAt: What counts as the time of the activation when the row doesn't tell.
    private static func passActivation(
        from replaced: Row?,
        to id: Int64,
        at installedAt: Date,
        in database: Database
    ) throws {
        guard let number = replaced?.integer("activationNumber", in: 0...Activation.maximumNumber) else { return }
        let date = replaced?.value("activatedAt", as: Double.self) ?? installedAt.timeIntervalSince1970
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
        return id
    }

    /// Gives a bundle with one release a row, when it has none: if the release was activated, the row has been lost, and said
    /// that it is the active one. Of several none is chosen in silence.
    private static func enterBundle(_ name: BundleName, in database: Database) throws {
        let rows = try InstalledRows(in: database)
        guard rows.rows(of: name).count == 1, let bundle = rows.bundles[name],
            rows.damagedBundles.contains(where: { $0.name == name && $0.key == nil })
        else { return }
        try write(bundle, in: database)
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
            try Self.remove(InstalledRows(in: database).rows(of: name, version), in: database)
        }
    }

    /// Removes every release of a bundle, also those whose files or rows can't be read, and returns their versions as far as
    /// the rows tell them.
    func removeAll(of name: BundleName) throws -> [BundleVersion] {
        try change { database in
            let rows = try InstalledRows(in: database).rows(of: name)
            try Self.remove(rows.map(\.id), in: database)
            return rows.compactMap(\.version)
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
        let number = try nextActivationNumber(in: database)
        try DigestedTable.release.changing(id, in: database) {
            try database.execute(
                sql: "UPDATE release SET activatedAt = ?, heldVersion = ?, activationNumber = ? WHERE id = ?",
                arguments: [date.timeIntervalSince1970, held?.string, number, id]
            )
        }
        try write(BundleRecord(name: name, active: id, heldVersion: held), in: database)
        try notePublisher(of: name, by: id, in: database)
        try dropResponses(of: name, notUnder: id, in: database)
    }

    /// Exceeds those that can be right, also of damaged rows, until damage has used up all of them.
    static func nextActivationNumber(in database: Database) throws -> Int64 {
        let highest = try Int64.fetchOne(
            database,
            sql: """
                SELECT max(activationNumber) FROM release
                WHERE typeof(activationNumber) = 'integer' AND activationNumber BETWEEN 0 AND ?
                """,
            arguments: [Activation.maximumNumber]
        )
        return min(highest ?? 0, Activation.maximumNumber - 1) + 1
    }

    /// Forgets the responses that were fetched under another version, which may not suit the active one.
    static func dropResponses(of name: BundleName, notUnder active: Int64, in database: Database) throws {
        try database.execute(
            sql: """
                DELETE FROM cachedResponse
                WHERE bundle = ? AND version <> (SELECT version FROM release WHERE id = ?)
                """,
            arguments: [name.string, active]
        )
    }

    static func remove(_ releases: [Int64], in database: Database) throws {
        for release in releases { try forget(release, in: database) }
        // The active release of one that seems to have none may have lost its name.
        try database.execute(
            sql: """
                DELETE FROM bundle WHERE name NOT IN (SELECT bundle FROM release) AND NOT EXISTS (
                    SELECT 1 FROM release WHERE id = bundle.active AND bundle NOT IN (SELECT name FROM bundle)
                )
                """
        )
        try database.execute(sql: "DELETE FROM cachedResponse WHERE bundle NOT IN (SELECT bundle FROM release)")
        try forgetPublishers(in: database)
    }

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
        let sql = "SELECT \(DigestedTable.bundle.selection) FROM bundle WHERE active = ?"
        let intact = try Row.fetchAll(database, sql: sql, arguments: [id]).filter { DigestedTable.bundle.isIntact($0) }
        // Also those whose names can't be read, which would keep the release.
        try database.execute(sql: "UPDATE bundle SET active = NULL WHERE active = ?", arguments: [id])
        for name in intact.compactMap({ $0.text("name") }) { try DigestedTable.bundle.sign(name, in: database) }
        try database.execute(sql: "DELETE FROM release WHERE id = ?", arguments: [id])
    }
}

extension ReleaseRecord {
    fileprivate var claims: (name: BundleName, version: BundleVersion, manifest: [UInt8]) { (name, version, manifest) }
}
