import Foundation
import GRDB

/// The tables `release`, `releaseSegment` and `bundle`: which releases are installed, and which one of each bundle is active.
struct ReleaseTables {
    let connection: CatalogConnection
    let storage: StorageTables

    /// Adds a release, replacing one with the same name and version; it inherits that one's pin and its position among
    /// the retained releases.
    ///
    /// - Parameters:
    ///   - replacing: Whether it may replace different content. Otherwise the existing row, damaged or not, must have
    ///     been written for the same release.
    ///   - activatedAt: When it becomes active, or nil when it doesn't.
    ///   - permitted: The bundles that its origins may overlap.
    ///   - fallbackReleases: The releases that are served in place of damaged ones, which the quota doesn't remove.
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
        keeping fallbackReleases: Set<Int64>,
        givingUpPrevious givesUpPrevious: Bool
    ) throws -> QuotaRemoval {
        try connection.change { database in
            try storage.keepingQuota(
                for: release,
                keeping: fallbackReleases,
                givingUpPrevious: givesUpPrevious,
                in: database
            ) {
                try ReleaseInsertion(
                    database: database,
                    release: release,
                    isReplacing: replacing,
                    installedAt: installedAt,
                    activatedAt: activatedAt,
                    permitted: permitted
                )
                .run()
            }
        }
    }

    /// Activates a release that is installed once more.
    ///
    /// - Throws: As ``activate(_:at:holding:permittingOverlapWith:)``.
    func reactivate(
        _ release: ReleaseRecord,
        at date: Date,
        permittingOverlapWith permitted: Set<BundleName>
    ) throws {
        try connection.change { database in
            try OriginClaims.check(of: release.claims, permitting: permitted, in: database)
            let held = try InstalledRows(in: database).bundles[release.name]?.heldVersion(after: release.version)
            try Self.activate(release.id, of: release.name, at: date, holding: held, in: database)
        }
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
        try connection.change { database in
            try OriginClaims.check(of: release.claims, permitting: permitted, in: database)
            try LifecycleTables.leave(left, of: release.name, in: database)
            try Self.activate(release.id, of: release.name, at: date, holding: held, as: event, in: database)
        }
    }

    /// Removes releases; a bundle without a remaining release is removed too.
    func remove(_ releases: [ReleaseRecord]) throws {
        try connection.change { try Self.remove(releases.map(\.id), in: $0) }
    }

    /// Removes a release that can't be opened.
    func remove(_ name: BundleName, _ version: BundleVersion) throws {
        try connection.change { database in
            try Self.remove(InstalledRows(in: database).rows(of: name, version), in: database)
        }
    }

    /// Removes every release of a bundle, including those whose files or rows can't be read, and returns their versions
    /// as far as the rows name them.
    func removeAll(of name: BundleName) throws -> [BundleVersion] {
        try connection.change { database in
            let rows = try InstalledRows(in: database).rows(of: name)
            try Self.remove(rows.map(\.id), in: database)
            return rows.compactMap(\.version)
        }
    }

    func setPinned(_ isPinned: Bool, _ release: ReleaseRecord) throws {
        try connection.change { database in
            try DigestedTable.release.changing(release.id, in: database) {
                try database.execute(
                    sql: "UPDATE release SET isPinned = ? WHERE id = ?",
                    arguments: [isPinned, release.id]
                )
            }
        }
    }

    /// The segments that releases other than these refer to: releases whose files can't be opened, so that their
    /// indexes can't tell which segments they need.
    func segments(usedByOthersThan releases: Set<Int64>) throws -> Set<FileIdentifier> {
        try connection.read { database in
            let rows = try Row.fetchAll(database, sql: "SELECT release, segment FROM releaseSegment")
            let names = rows.compactMap { row in
                row.value("release").map(releases.contains) == true ? nil : row.text("segment")
            }
            return Set(names.compactMap { FileIdentifier(name: $0) })
        }
    }

    /// Assigns new indexes to releases, all in one transaction. Their other columns are kept.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeBusy`, with nothing changed, when one of them has changed
    ///   meanwhile.
    func relocate(_ releases: [RelocatedRelease]) throws {
        try connection.change { database in
            for release in releases {
                try DigestedTable.release.changing(release.id, in: database) {
                    try database.execute(
                        sql: "UPDATE release SET indexFile = ? WHERE id = ? AND indexFile = ?",
                        arguments: [release.index.name, release.id, release.replacedIndex.name]
                    )
                    guard database.changesCount == 1 else {
                        throw BundleError(
                            .storeBusy,
                            "another process has changed the store in \(connection.layout.root); try again"
                        )
                    }
                }
                try Self.setSegments(release.segments, of: release.id, in: database)
            }
        }
    }

    /// The stored lists of the segments that each release refers to.
    func segmentLists() throws -> [Int64: Set<String>] {
        try connection.read { database in
            var lists: [Int64: Set<String>] = [:]
            for row in try Row.fetchAll(database, sql: "SELECT release, segment FROM releaseSegment") {
                guard let release = row.value("release", as: Int64.self) else { continue }
                lists[release, default: []].insert(row.text("segment") ?? "")
            }
            return lists
        }
    }

    // MARK: - Within a transaction

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
            try LifecycleTables.end(of: name, activating: id, in: database)
            if event == .activated { try LifecycleTables.beginProbation(of: id, of: name, in: database) }
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
        try PublisherTable.note(of: name, by: id, in: database)
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
        try HistoryTable.record(event, in: database)
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
    /// fetched under other versions isn't found any more, see ``CachedResponseTables/removeOutdated(limit:)``.
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

    /// - Parameter held: The version that an update must exceed from now on; nil for none but the active one.
    static func hold(_ held: BundleVersion?, of name: BundleName, in database: Database) throws {
        guard let bundle = try InstalledRows(in: database).bundles[name], bundle.heldVersion != held else { return }
        try write(BundleRecord(name: name, active: bundle.active, heldVersion: held), in: database)
        guard let active = bundle.active else { return }
        // Where the bundle's row is lost, this row says what is held back.
        try DigestedTable.release.changing(active, in: database) {
            try database.execute(
                sql: "UPDATE release SET heldVersion = ? WHERE id = ?",
                arguments: [held?.string, active]
            )
        }
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
        try StatisticsTables.dropRemoved(in: database)
        try dropRecordsOfRemoved(in: database)
        try PublisherTable.forgetRemoved(in: database)
    }

    /// Drops what is remembered of bundles and versions that have been removed.
    private static func dropRecordsOfRemoved(in database: Database) throws {
        for table in CatalogSchema.tablesOfBundles {
            try database.execute(sql: "DELETE FROM \(table) WHERE bundle NOT IN (SELECT bundle FROM release)")
        }
        for table in CatalogSchema.tablesOfReleases {
            try database.execute(
                sql: """
                    DELETE FROM \(table) WHERE NOT EXISTS (
                        SELECT 1 FROM release WHERE bundle = \(table).bundle AND version = \(table).version
                    )
                    """
            )
        }
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

    /// Sets the name and version of a row from its manifest. Returns false, with nothing changed, when another row has
    /// them.
    static func rename(_ row: Int64, as manifest: BundleManifest, in database: Database) throws -> Bool {
        try database.execute(
            sql: "UPDATE OR IGNORE release SET bundle = ?, version = ? WHERE id = ?",
            arguments: [manifest.name.string, manifest.version.string, row]
        )
        return database.changesCount > 0
    }

    static func setSegments(_ segments: [FileIdentifier], of release: Int64, in database: Database) throws {
        try database.execute(sql: "DELETE FROM releaseSegment WHERE release = ?", arguments: [release])
        for segment in segments {
            try database.execute(sql: "INSERT INTO releaseSegment VALUES (?, ?)", arguments: [release, segment.name])
        }
    }

    static func forget(_ id: Int64, in database: Database) throws {
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

/// A release whose new index is durable, before it replaces the old one in the catalog.
struct RelocatedRelease: Sendable {
    let id: Int64
    let replacedIndex: FileIdentifier
    let index: FileIdentifier
    let segments: [FileIdentifier]
}
