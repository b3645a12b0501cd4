import Foundation
import GRDB

/// Adds a release to the tables of releases, within one transaction.
struct ReleaseInsertion {
    let database: Database
    let release: NewRelease
    /// Whether it may replace different content.
    let isReplacing: Bool
    let installedAt: Date
    /// When it becomes active; nil when it doesn't.
    let activatedAt: Date?
    /// The bundles that its origins may overlap.
    let permitted: Set<BundleName>

    /// Returns the release's row.
    func run() throws -> Int64 {
        let rows = try InstalledRows(in: database)
        let replaced = try replacedRow(in: rows)
        let isRepair = replaced.map(release.isRecorded) ?? false
        guard replaced == nil || isRepair || isReplacing else {
            throw BundleError(conflictWith: release.name, release.version)
        }
        let bundle = rows.bundles[release.name]
        let replacedID: Int64? = try replaced?.decode(forColumn: "id")
        let wasActive = replacedID != nil && bundle?.active == replacedID
        if !isRepair || activatedAt != nil && !wasActive {
            // A repair claims the same origins as the release did.
            let claims = (release.name, release.version, release.manifest)
            try OriginClaims.check(of: claims, permitting: permitted, in: database)
        }
        if let replacedID { try ReleaseTables.forget(replacedID, in: database) }
        let isPinned = (try? replaced?.decode(Bool.self, forColumn: "isPinned")) ?? false
        let id = try add(isPinned: isPinned)
        if !isRepair {
            let event = UpdateEvent(.installed, release.name, at: installedAt, version: release.version)
            try HistoryTable.record(event, in: database)
        }
        guard activatedAt != nil || wasActive else {
            try passActivation(from: replaced, to: id)
            try enterBundle()
            return id
        }
        try ReleaseTables.activate(
            id,
            of: release.name,
            at: activatedAt ?? installedAt,
            holding: bundle?.heldVersion(after: release.version),
            isActive: wasActive,
            in: database
        )
        return id
    }

    /// The row that a release replaces: its own, or one that wrongly has its name. If the latter's own name is known,
    /// it is restored instead.
    private func replacedRow(in rows: InstalledRows) throws -> Row? {
        let own = rows.rows(of: release.name, release.version)
        var named = try Int64.fetchOne(
            database,
            sql: "SELECT id FROM release WHERE bundle = ? AND version = ?",
            arguments: [release.name.string, release.version.string]
        )
        if let row = rows.damagedReleases.first(where: { $0.id == named && !own.contains($0.id) }),
            row.isNamedByManifest, let manifest = row.manifest,
            try ReleaseTables.rename(row.id, as: manifest, in: database)
        {
            named = nil
        }
        return try Row.fetchOne(
            database,
            sql: "SELECT \(DigestedTable.release.selection) FROM release WHERE id = ?",
            arguments: [own.first ?? named]
        )
    }

    /// - Parameter replaced: The row of the replaced release, which may be damaged; nil when there was none.
    private func passActivation(from replaced: Row?, to id: Int64) throws {
        guard let number = replaced?.integer("activationNumber", in: 0...ActivationRow.maximumNumber) else { return }
        let date = replaced?.value("activatedAt", as: Double.self) ?? installedAt.timeIntervalSince1970
        try DigestedTable.release.changing(id, in: database) {
            try database.execute(
                sql: "UPDATE release SET activatedAt = ?, activationNumber = ?, heldVersion = ? WHERE id = ?",
                arguments: [date, number, replaced?.text("heldVersion"), id]
            )
        }
    }

    private func add(isPinned: Bool) throws -> Int64 {
        try database.execute(
            sql: """
                INSERT INTO release
                (bundle, version, manifest, indexFile, contentDigest, fileCount, byteCount, installedAt, isPinned)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                release.name.string, release.version.string, Data(release.manifest), release.index.name,
                release.contentDigest.hex, release.fileCount, release.byteCount, installedAt.timeIntervalSince1970,
                isPinned,
            ]
        )
        let id = database.lastInsertedRowID
        try DigestedTable.release.sign(id, in: database)
        try ReleaseTables.setSegments(release.segments, of: id, in: database)
        return id
    }

    /// Adds the missing row of a bundle with one release: if the release was activated, the lost row said that it is
    /// the active one. Among several releases none is chosen silently.
    private func enterBundle() throws {
        let rows = try InstalledRows(in: database)
        guard rows.rows(of: release.name).count == 1, let bundle = rows.bundles[release.name],
            rows.damagedBundles.contains(where: { $0.name == release.name && $0.key == nil })
        else { return }
        try ReleaseTables.write(bundle, in: database)
    }
}
