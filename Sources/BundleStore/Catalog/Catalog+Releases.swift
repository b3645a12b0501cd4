import Foundation
import GRDB

extension Catalog {
    /// The result of reading ``releases()`` in one transaction.
    struct Contents {
        let generation: Int64
        /// Latest activated first.
        let releases: [ReleaseRecord]
        /// The rows that can't be read; the others aren't affected.
        let damage: [StoreDamage]
        let publishers: [BundleName: PublisherRecord]
        let lifecycles: [BundleName: BundleLifecycle]
    }

    /// Every release, and the generation that was read with them.
    func releases() throws -> Contents {
        try read { database in
            let rows = try InstalledRows(in: database)
            return Contents(
                generation: try Self.generation(in: database),
                releases: rows.releases,
                damage: rows.damage,
                publishers: try Self.publishers(in: database),
                lifecycles: try Self.lifecycles(in: database)
            )
        }
    }

    /// Adds a release, replacing one with the same name and version; it inherits that one's pin and its position among
    /// the retained releases.
    ///
    /// - Parameters:
    ///   - replacing: Whether it may replace different content. Otherwise the existing row, damaged or not, must have
    ///     been written for the same release.
    ///   - activatedAt: When it becomes active, or nil when it doesn't.
    ///   - permitted: The bundles that its origins may overlap.
    ///   - standIns: The releases that are served in place of damaged ones, which the quota doesn't remove.
    ///   - givesUpPrevious: Whether the quota may remove the version that a rollback would activate.
    /// - Returns: What was removed because the quota had no room for it.
    /// - Throws: ``/BundleModel/BundleError`` with code `quotaExceeded` when the store's quota has no room for it,
    ///   `originConflict` when it claims URLs of another bundle, `versionConflict` when different content is installed
    ///   and `replacing` is false; nothing has changed.
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
                    // A repair claims the same origins as the release did.
                    let claims = (release.name, release.version, release.manifest)
                    try Self.checkClaims(of: claims, permitting: permitted, in: database)
                }
                if let replacedID { try Self.forget(replacedID, in: database) }
                let isPinned = (try? replaced?.decode(Bool.self, forColumn: "isPinned")) ?? false
                let id = try Self.add(release, isPinned: isPinned, at: installedAt, in: database)
                if !isRepair {
                    let event = UpdateEvent(.installed, release.name, at: installedAt, version: release.version)
                    try Self.record(event, in: database)
                }
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
                    isActive: wasActive,
                    in: database
                )
                return id
            }
        }
    }

    /// The row that a release replaces: its own, or one that wrongly has its name. If the latter's own name is known,
    /// it is restored instead.
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
    ///   - installedAt: The activation time to use when the row doesn't have one.
    private static func passActivation(
        from replaced: Row?,
        to id: Int64,
        at installedAt: Date,
        in database: Database
    ) throws {
        guard let number = replaced?.integer("activationNumber", in: 0...ActivationRow.maximumNumber) else { return }
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

    /// Adds the missing row of a bundle with one release: if the release was activated, the lost row said that it is
    /// the active one. Among several releases none is chosen silently.
    private static func enterBundle(_ name: BundleName, in database: Database) throws {
        let rows = try InstalledRows(in: database)
        guard rows.rows(of: name).count == 1, let bundle = rows.bundles[name],
            rows.damagedBundles.contains(where: { $0.name == name && $0.key == nil })
        else { return }
        try write(bundle, in: database)
    }

    /// Activates a release that is installed once more.
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

    /// The version held back after `version` has been installed: a rollback's hold ends with a version at least as high
    /// as the one that it left, not with a lower one.
    private static func hold(of bundle: BundleRecord?, after version: BundleVersion) -> BundleVersion? {
        bundle?.heldVersion.flatMap { version < $0 ? $0 : nil }
    }

    /// Makes a release active.
    ///
    /// - Parameters:
    ///   - held: The version that an update must exceed from now on, besides the active one.
    ///   - left: The versions that no later rollback leads to.
    ///   - event: What it is for the journal.
    ///   - permitted: The bundles that its origins may overlap.
    /// - Throws: ``/BundleModel/BundleError`` with code `originConflict` when it claims URLs of another bundle; nothing
    ///   has changed.
    func activate(
        _ release: ReleaseRecord,
        at date: Date,
        holding held: BundleVersion?,
        leaving left: [BundleVersion] = [],
        as event: UpdateEvent.Kind = .activated,
        permittingOverlapWith permitted: Set<BundleName>
    ) throws {
        try change { database in
            try Self.checkClaims(of: release.claims, permitting: permitted, in: database)
            try Self.leave(left, of: release.name, in: database)
            try Self.activate(release.id, of: release.name, at: date, holding: held, as: event, in: database)
        }
    }

    /// Removes releases; a bundle without a remaining release is removed too.
    func remove(_ releases: [ReleaseRecord]) throws {
        try change { try Self.remove(releases.map(\.id), in: $0) }
    }

    /// Removes a release that can't be opened.
    func remove(_ name: BundleName, _ version: BundleVersion) throws {
        try change { database in
            try Self.remove(InstalledRows(in: database).rows(of: name, version), in: database)
        }
    }

    /// Removes every release of a bundle, including those whose files or rows can't be read, and returns their versions
    /// as far as the rows name them.
    func removeAll(of name: BundleName) throws -> [BundleVersion] {
        try change { database in
            let rows = try InstalledRows(in: database).rows(of: name)
            try Self.remove(rows.map(\.id), in: database)
            return rows.compactMap(\.version)
        }
    }

    /// Every file that the catalog refers to. A value that isn't a file name refers to none.
    func referencedFiles() throws -> ReferencedFiles {
        try read { database in
            func identifiers(_ sql: String) throws -> Set<FileIdentifier> {
                let names = try DatabaseValue.fetchAll(database, sql: sql).compactMap(String.fromDatabaseValue)
                return Set(names.compactMap { FileIdentifier(name: $0) })
            }
            return ReferencedFiles(
                segments: try identifiers("SELECT segment FROM releaseSegment"),
                indexes: try identifiers("SELECT indexFile FROM release"),
                bodies: try identifiers("SELECT file FROM cachedBody WHERE file IS NOT NULL")
            )
        }
    }

    /// - Parameter isActive: Whether the version is active already; nil if the row says that.
    static func activate(
        _ id: Int64,
        of name: BundleName,
        at date: Date,
        holding held: BundleVersion?,
        isActive: Bool? = nil,
        as event: UpdateEvent.Kind = .activated,
        in database: Database
    ) throws {
        if try !(isActive ?? isActiveRow(id, of: name, in: database)) {
            try dropResponses(underEarlierActivationOf: id, of: name, in: database)
            try record(event, of: id, of: name, at: date, in: database)
            try endLifecycle(of: name, activating: id, in: database)
            if event == .activated { try beginProbation(of: id, of: name, in: database) }
        }
        let number = try nextActivationNumber(in: database)
        try DigestedTable.release.changing(id, in: database) {
            try database.execute(
                sql: "UPDATE release SET activatedAt = ?, heldVersion = ?, activationNumber = ? WHERE id = ?",
                arguments: [date.timeIntervalSince1970, held?.string, number, id]
            )
        }
        try database.execute(
            sql: "DELETE FROM leftRelease WHERE bundle = ? AND version = (SELECT version FROM release WHERE id = ?)",
            arguments: [name.string, id]
        )
        try write(BundleRecord(name: name, active: id, heldVersion: held), in: database)
        try notePublisher(of: name, by: id, in: database)
    }

    /// Records that a release becomes active in place of the one that the bundle's row names.
    private static func record(
        _ event: UpdateEvent.Kind,
        of id: Int64,
        of name: BundleName,
        at date: Date,
        in database: Database
    ) throws {
        let sql = "SELECT version FROM release WHERE id = "
        let version = try Row.fetchOne(database, sql: sql + "?", arguments: [id])
        let previous = try Row.fetchOne(
            database,
            sql: sql + "(SELECT active FROM bundle WHERE name = ?)",
            arguments: [name.string]
        )
        let event = UpdateEvent(
            event,
            name,
            at: date,
            version: version?.text("version").flatMap { BundleVersion($0) },
            previous: previous?.text("version").flatMap { BundleVersion($0) }
        )
        try record(event, in: database)
    }

    private static func isActiveRow(_ id: Int64, of name: BundleName, in database: Database) throws -> Bool {
        try Int64.fetchOne(database, sql: "SELECT active FROM bundle WHERE name = ?", arguments: [name.string]) == id
    }

    /// Exceeds all valid numbers, including those of damaged rows, until damage has used up all of them.
    static func nextActivationNumber(in database: Database) throws -> Int64 {
        let highest = try Int64.fetchOne(
            database,
            sql: """
                SELECT max(activationNumber) FROM release
                WHERE typeof(activationNumber) = 'integer' AND activationNumber BETWEEN 0 AND ?
                """,
            arguments: [ActivationRow.maximumNumber]
        )
        return min(highest ?? 0, ActivationRow.maximumNumber - 1) + 1
    }

    /// Drops what was fetched when a version was active before, as far as it hasn't been removed behind since. What was
    /// fetched under other versions isn't found any more, see ``removeOutdatedResponses(limit:)``.
    private static func dropResponses(
        underEarlierActivationOf id: Int64,
        of name: BundleName,
        in database: Database
    ) throws {
        try database.execute(
            sql: """
                DELETE FROM cachedResponse
                WHERE bundle = ? AND version = (SELECT version FROM release WHERE id = ?)
                """,
            arguments: [name.string, id]
        )
    }

    static func remove(_ releases: [Int64], in database: Database) throws {
        for release in releases { try forget(release, in: database) }
        // A bundle that seems to have no release may have an active one that lost its name.
        try database.execute(
            sql: """
                DELETE FROM bundle WHERE name NOT IN (SELECT bundle FROM release) AND NOT EXISTS (
                    SELECT 1 FROM release WHERE id = bundle.active AND bundle NOT IN (SELECT name FROM bundle)
                )
                """
        )
        try database.execute(
            sql: "DELETE FROM cachedResponse WHERE bundle NOT IN (SELECT bundle FROM release) AND bundle <> ?",
            arguments: [BundleName.unbundled.string]
        )
        try dropStatisticsOfRemoved(in: database)
        try dropUpdateStateOfRemoved(in: database)
        try forgetPublishers(in: database)
    }

    /// Writes a bundle's row, regardless of an existing one.
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
        // Including rows whose names can't be read, which would otherwise keep the release.
        try database.execute(sql: "UPDATE bundle SET active = NULL WHERE active = ?", arguments: [id])
        for name in intact.compactMap({ $0.text("name") }) { try DigestedTable.bundle.sign(name, in: database) }
        try database.execute(sql: "DELETE FROM release WHERE id = ?", arguments: [id])
    }
}

extension ReleaseRecord {
    var claims: (name: BundleName, version: BundleVersion, manifest: [UInt8]) { (name, version, manifest) }
}

/// The files that the store needs.
struct ReferencedFiles: Sendable {
    var segments: Set<FileIdentifier>
    var indexes: Set<FileIdentifier>
    var bodies: Set<FileIdentifier>

    /// Adds the files that `releases` are read from, which the catalog may have recorded wrongly.
    mutating func formUnion(_ releases: [Release]) {
        for release in releases {
            indexes.insert(release.index.identifier)
            segments.formUnion(release.index.segments)
        }
    }
}
