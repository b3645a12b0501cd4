import Foundation
import GRDB

/// Repairs what can be derived of the rows that decide what is served.
struct CatalogRepair {
    let connection: CatalogConnection

    /// Replaces a damaged generation. Writes only if it is damaged.
    func generation() throws -> [RepairReport.Repaired] {
        guard try connection.read(CatalogGeneration.isDamaged) else { return [] }
        return try connection.change { database in
            try database.execute(sql: "DELETE FROM generation WHERE only <> 1")
            return [RepairReport.Repaired(repaired: "the number of the catalog's changes")]
        }
    }

    /// A release according to its manifest and its index, and the digest of the two.
    private typealias KnownRelease = (manifest: BundleManifest, index: VersionIndex, contentDigest: Digest)

    /// A row that isn't intact, or that names another release than its manifest.
    private struct WrongRow {
        let row: DamagedReleaseRow
        /// The release, if it is known for certain.
        let known: KnownRelease?

        var isMisnamed: Bool {
            guard let manifest = known?.manifest, let name = row.name, let version = row.version else { return true }
            return !manifest.isOf(name, version)
        }
    }

    /// Repairs damaged rows of releases from their manifests and indexes, and drops those that name nothing. Writes
    /// only if there are such rows.
    func releaseRows() throws -> [RepairReport.Repaired] {
        guard try !connection.read(wrongRows).isEmpty else { return [] }
        return try connection.change { database in
            let installed = try InstalledRows(in: database)
            return try wrongRows(in: database).map { wrong in
                if let repaired = try restore(wrong, installed, in: database) { return repaired }
                try Self.drop(wrong.row.id, in: database)
                return RepairReport.Repaired(
                    dropped: "row \(wrong.row.id) of the catalog",
                    wrong.row.name,
                    wrong.row.version
                )
            }
        }
    }

    private func wrongRows(in database: Database) throws -> [WrongRow] {
        let sql = "SELECT \(DigestedTable.release.selection) FROM release ORDER BY id"
        return try Row.fetchAll(database, sql: sql).compactMap { columns in
            let row = try DamagedReleaseRow(columns)
            if row.isNamedByManifest { return WrongRow(row: row, known: nil) }
            if let name = row.name, let version = row.version, DigestedTable.release.isIntact(columns) {
                guard let manifest = row.manifest, !manifest.isOf(name, version) else { return nil }
            }
            let known = row.manifest.flatMap { knownRelease($0, columns) }
            // A row that names a release is kept if its manifest may be what is damaged.
            guard known != nil || row.name == nil || row.version == nil else { return nil }
            return WrongRow(row: row, known: known)
        }
    }

    /// The release of a row, if the row's content digest matches its index and manifest, or if the row would be intact
    /// with the matching digest.
    private func knownRelease(_ manifest: BundleManifest, _ row: Row) -> KnownRelease? {
        guard let file = row.text("indexFile").flatMap({ FileIdentifier(name: $0) }),
            let index = try? VersionIndex(file, in: connection.layout),
            let bytes = row.value("manifest", as: Data.self),
            let digest = try? index.contentDigest(with: Array(bytes)),
            row.text("contentDigest") == digest.hex
                || DigestedTable.release.isIntact(row, with: ["contentDigest": digest.hex])
        else { return nil }
        return (manifest, index, digest)
    }

    /// Returns nil, with nothing changed, when the release isn't known or another row belongs to it.
    private func restore(
        _ wrong: WrongRow,
        _ installed: InstalledRows,
        in database: Database
    ) throws -> RepairReport.Repaired? {
        let source = "its manifest"
        if wrong.row.isNamedByManifest, let manifest = wrong.row.manifest {
            guard try ReleaseTables.rename(wrong.row.id, as: manifest, in: database) else { return nil }
            return RepairReport.Repaired(manifest.name, manifest.version, source: source)
        }
        guard let known = wrong.known, try Self.restore(wrong.row, known, installed, in: database) else { return nil }
        let item = wrong.isMisnamed ? nil : "the row in the catalog, but for its times and its pin,"
        return RepairReport.Repaired(known.manifest.name, known.manifest.version, item: item, source: source)
    }

    private static func restore(
        _ row: DamagedReleaseRow,
        _ known: KnownRelease,
        _ installed: InstalledRows,
        in database: Database
    ) throws -> Bool {
        let (manifest, index, contentDigest) = known
        var byteCount: Int64 = 0
        try index.forEachEntry {
            byteCount = byteCount.addingReportingOverflow(Int64(clamping: $0.byteCount)).partialValue
        }
        let number = try activationNumber(of: row, known.manifest.name, installed, in: database)
        // Columns that can't be derived are kept, or set to a readable value.
        try database.execute(
            sql: """
                UPDATE OR IGNORE release SET bundle = ?, version = ?, indexFile = ?, contentDigest = ?, fileCount = ?,
                byteCount = ?, installedAt = iif(typeof(installedAt) = 'real', installedAt, 0.0),
                activatedAt = iif(
                    typeof(activatedAt) = 'real', activatedAt,
                    iif(? IS NULL, NULL, iif(typeof(installedAt) = 'real', installedAt, 0.0))
                ),
                activationNumber = ?, isPinned = iif(isPinned IN (0, 1), isPinned, 0), heldVersion = ?
                WHERE id = ?
                """,
            arguments: [
                manifest.name.string, manifest.version.string, index.identifier.name, contentDigest.hex, index.count,
                byteCount, number, number, row.heldVersion?.string, row.id,
            ]
        )
        guard database.changesCount > 0 else { return false }
        try DigestedTable.release.sign(row.id, in: database)
        return true
    }

    /// The active release's number must be the highest; otherwise it would be lost together with the bundle's row.
    private static func activationNumber(
        of row: DamagedReleaseRow,
        _ name: BundleName,
        _ installed: InstalledRows,
        in database: Database
    ) throws -> Int64? {
        guard installed.bundles[name]?.active == row.id, installed.latestActivation(of: name)?.release != row.id else {
            return row.activationNumber
        }
        return try ReleaseTables.nextActivationNumber(in: database)
    }

    /// Removes a release. If it was active, its bundle's row is left to ``bundles()``.
    private static func drop(_ release: Int64, in database: Database) throws {
        try database.execute(sql: "UPDATE bundle SET rowDigest = '' WHERE active = ?", arguments: [release])
        try ReleaseTables.remove([release], in: database)
    }

    /// Writes damaged or missing rows of bundles from their releases, and drops those of bundles without a release.
    /// Writes only if there are such rows.
    func bundles() throws -> [RepairReport.Repaired] {
        guard try !connection.read({ try InstalledRows(in: $0).damagedBundles.isEmpty }) else { return [] }
        return try connection.change { database in
            let rows = try InstalledRows(in: database)
            return try rows.damagedBundles.compactMap { try Self.repair($0, rows, in: database) }
        }
    }

    /// Returns nil, with nothing changed, when none of the bundle's releases can be read.
    private static func repair(
        _ damaged: InstalledRows.DamagedBundle,
        _ rows: InstalledRows,
        in database: Database
    ) throws -> RepairReport.Repaired? {
        guard let name = damaged.name, !damaged.isSuperfluous, !rows.rows(of: name).isEmpty else {
            try drop(damaged, in: database)
            return RepairReport.Repaired(dropped: damaged.label, damaged.name, nil)
        }
        guard let bundle = rows.bundles[name] else { return nil }
        // The name may have another spelling.
        if !damaged.isNamed(name) { try drop(damaged, in: database) }
        try ReleaseTables.write(bundle, in: database)
        return RepairReport.Repaired(bundle, rows)
    }

    /// Recreates the table of bundles without one row. To delete a row SQLite looks it up by name, and doesn't find one
    /// whose name has another type than its column or isn't in order.
    private static func drop(_ damaged: InstalledRows.DamagedBundle, in database: Database) throws {
        let definition = "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = 'bundle'"
        guard damaged.key != nil, let table = try String.fetchOne(database, sql: definition) else { return }
        try database.execute(
            sql: """
                CREATE TEMP TABLE kept AS SELECT * FROM bundle WHERE CAST(name AS BLOB) <> ? OR typeof(name) <> typeof(?)
                """,
            arguments: [damaged.keyBytes, damaged.key]
        )
        // A dangling reference would be refused.
        try database.execute(
            sql: """
                UPDATE kept SET active = NULL WHERE active NOT IN (SELECT id FROM release);
                DROP TABLE bundle; \(table); INSERT OR IGNORE INTO bundle SELECT * FROM kept; DROP TABLE kept
                """
        )
    }

    /// Sets the stored segments to exactly those that the indexes of the releases refer to.
    ///
    /// - Parameter releases: The rows of the releases, and their indexes.
    /// - Returns: The rows of those that haven't changed meanwhile.
    func segmentLists(of releases: [(row: Int64, index: VersionIndex)]) throws -> Set<Int64> {
        try connection.change { database in
            let unchanged = try releases.filter { release in
                let index = try String.fetchOne(
                    database,
                    sql: "SELECT indexFile FROM release WHERE id = ?",
                    arguments: [release.row]
                )
                guard index == release.index.identifier.name else { return false }
                try ReleaseTables.setSegments(release.index.segments, of: release.row, in: database)
                return true
            }
            return Set(unchanged.map(\.row))
        }
    }
}

extension BundleManifest {
    /// Whether it belongs to this release. Versions are compared as text.
    func isOf(_ name: BundleName, _ version: BundleVersion) -> Bool {
        self.name == name && self.version.string == version.string
    }
}

extension InstalledRows.DamagedBundle {
    /// The name of the dropped row in reports.
    fileprivate var label: String {
        if name == nil { return "a row of the catalog's bundles that names none" }
        return isSuperfluous ? "a superfluous row in the catalog" : "the catalog's row of a bundle without a release"
    }

    fileprivate func isNamed(_ name: BundleName) -> Bool {
        key == name.string.databaseValue && keyBytes == Data(name.string.utf8)
    }
}

extension RepairReport.Repaired {
    fileprivate init(_ bundle: BundleRecord, _ rows: InstalledRows) {
        let version = bundle.active.flatMap { rows.version(ofRow: $0) }
        let item =
            switch bundle.active {
            case nil: "as a bundle without an active version"
            case let row? where version == nil: "with the version of row \(row) as the active one"
            case _?: "as the active version"
            }
        self.init(
            action: .repaired,
            name: bundle.name,
            version: version,
            path: nil,
            item: item,
            source: "the activations of its releases"
        )
    }
}
