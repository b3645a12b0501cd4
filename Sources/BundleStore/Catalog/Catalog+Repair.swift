import Foundation
import GRDB

extension Catalog {
    /// What a release is by its manifest and its index, and the digest of the two.
    private typealias KnownRelease = (manifest: BundleManifest, index: VersionIndex, contentDigest: Digest)

    /// A row that isn't what was written, or that says another release than its manifest.
    private struct WrongRow {
        let row: DamagedReleaseRow
        /// What the release is, when that is known for certain.
        let known: KnownRelease?

        var isMisnamed: Bool {
            guard let manifest = known?.manifest, let name = row.name, let version = row.version else { return true }
            return !manifest.isOf(name, version)
        }
    }

    /// Gives rows of releases that are damaged what their manifests and indexes tell, and drops those that name nothing. Writes
    /// only when there are such rows.
    func repairReleaseRows() throws -> [RepairReport.Repaired] {
        guard try !read(wrongRows).isEmpty else { return [] }
        return try change { database in
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
            // A row that names a release stays, when it may be the manifest that is wrong.
            guard known != nil || row.name == nil || row.version == nil else { return nil }
            return WrongRow(row: row, known: known)
        }
    }

    /// The release of a row, if the digest that it has is that of the index that it names and the manifest; or if it would be
    /// what was written once it had that one.
    private func knownRelease(_ manifest: BundleManifest, _ row: Row) -> KnownRelease? {
        guard let file = row.text("indexFile").flatMap({ FileIdentifier(name: $0) }),
            let index = try? VersionIndex(file, in: layout),
            let bytes = row.value("manifest", as: Data.self),
            let digest = try? index.contentDigest(with: Array(bytes)),
            row.text("contentDigest") == digest.hex
                || DigestedTable.release.isIntact(row, with: ["contentDigest": digest.hex])
        else { return nil }
        return (manifest, index, digest)
    }

    /// Returns nil, and changes nothing, when it isn't known which release it is, or another row is of that release.
    private func restore(
        _ wrong: WrongRow,
        _ installed: InstalledRows,
        in database: Database
    ) throws -> RepairReport.Repaired? {
        let source = "its manifest"
        if wrong.row.isNamedByManifest, let manifest = wrong.row.manifest {
            guard try Self.rename(wrong.row.id, as: manifest, in: database) else { return nil }
            return RepairReport.Repaired(manifest.name, manifest.version, source: source)
        }
        guard let known = wrong.known, try Self.restore(wrong.row, known, installed, in: database) else { return nil }
        let item = wrong.isMisnamed ? nil : "the row in the catalog, but for its times and its pin,"
        return RepairReport.Repaired(known.manifest.name, known.manifest.version, item: item, source: source)
    }

    /// Gives a row the name and the version of its manifest. Returns false, and changes nothing, when another row has them.
    static func rename(_ row: Int64, as manifest: BundleManifest, in database: Database) throws -> Bool {
        try database.execute(
            sql: "UPDATE OR IGNORE release SET bundle = ?, version = ? WHERE id = ?",
            arguments: [manifest.name.string, manifest.version.string, row]
        )
        return database.changesCount > 0
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
        // What nothing else tells stays as it is, or becomes what can be read at least.
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

    /// The one of the active release has to be the highest, or it is lost together with the bundle's row.
    private static func activationNumber(
        of row: DamagedReleaseRow,
        _ name: BundleName,
        _ installed: InstalledRows,
        in database: Database
    ) throws -> Int64? {
        guard installed.bundles[name]?.active == row.id, installed.latestActivation(of: name)?.release != row.id else {
            return row.activationNumber
        }
        return try nextActivationNumber(in: database)
    }

    /// Forgets a release. The row of a bundle whose active one it was is left to ``repairBundles()``.
    private static func drop(_ release: Int64, in database: Database) throws {
        try database.execute(sql: "UPDATE bundle SET rowDigest = '' WHERE active = ?", arguments: [release])
        try remove([release], in: database)
    }

    /// Writes the rows of bundles that are damaged or missing as their releases tell them, and drops those of bundles that
    /// have no release. Writes only when there are such rows.
    func repairBundles() throws -> [RepairReport.Repaired] {
        guard try !read({ try InstalledRows(in: $0).damagedBundles.isEmpty }) else { return [] }
        return try change { database in
            let rows = try InstalledRows(in: database)
            return try rows.damagedBundles.compactMap { try Self.repair($0, rows, in: database) }
        }
    }

    /// Returns nil, and changes nothing, when it is the row of a bundle none of whose releases can be read.
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
        // The name may be spelled otherwise.
        if !damaged.isNamed(name) { try drop(damaged, in: database) }
        try write(bundle, in: database)
        if let active = rows.releases.first(where: { $0.isActive && $0.name == name }) {
            try dropResponses(of: name, notUnder: active.id, in: database)
        }
        return RepairReport.Repaired(bundle, rows)
    }

    /// Recreates the table of bundles, without one row. SQLite looks for a row by its name to delete it, and doesn't find one
    /// whose name isn't of the column's type or isn't in its order.
    private static func drop(_ damaged: InstalledRows.DamagedBundle, in database: Database) throws {
        let definition = "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = 'bundle'"
        guard damaged.key != nil, let table = try String.fetchOne(database, sql: definition) else { return }
        try database.execute(
            sql: """
                CREATE TEMP TABLE kept AS SELECT * FROM bundle WHERE CAST(name AS BLOB) <> ? OR typeof(name) <> typeof(?)
                """,
            arguments: [damaged.keyBytes, damaged.key]
        )
        // A reference that leads nowhere would be refused.
        try database.execute(
            sql: """
                UPDATE kept SET active = NULL WHERE active NOT IN (SELECT id FROM release);
                DROP TABLE bundle; \(table); INSERT OR IGNORE INTO bundle SELECT * FROM kept; DROP TABLE kept
                """
        )
    }

    /// What stands in the list of the segments that each release refers to.
    func segmentLists() throws -> [Int64: Set<String>] {
        try read { database in
            var lists: [Int64: Set<String>] = [:]
            for row in try Row.fetchAll(database, sql: "SELECT release, segment FROM releaseSegment") {
                guard let release = row.value("release", as: Int64.self) else { continue }
                lists[release, default: []].insert(row.text("segment") ?? "")
            }
            return lists
        }
    }

    /// Lists those segments that the indexes of releases refer to, and no others.
    ///
    /// - Returns: Those of the releases that are as they were.
    func repairSegmentLists(of releases: [Release]) throws -> [Release] {
        try change { database in
            try releases.filter { release in
                let index = try String.fetchOne(
                    database,
                    sql: "SELECT indexFile FROM release WHERE id = ?",
                    arguments: [release.record.id]
                )
                guard index == release.index.identifier.name else { return false }
                try Self.setSegments(release.index.segments, of: release.record.id, in: database)
                return true
            }
        }
    }

    static func setSegments(_ segments: [FileIdentifier], of release: Int64, in database: Database) throws {
        try database.execute(sql: "DELETE FROM releaseSegment WHERE release = ?", arguments: [release])
        for segment in segments {
            try database.execute(sql: "INSERT INTO releaseSegment VALUES (?, ?)", arguments: [release, segment.name])
        }
    }
}

extension BundleManifest {
    /// Whether it is this release's. Versions are told apart as text.
    func isOf(_ name: BundleName, _ version: BundleVersion) -> Bool {
        self.name == name && self.version.string == version.string
    }
}

extension InstalledRows.DamagedBundle {
    /// What it is when it isn't needed, for a person.
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
