import Foundation
import GRDB

extension Catalog {
    /// What a release is by its manifest and its index, and the digest of the two.
    private typealias KnownRelease = (manifest: BundleManifest, index: VersionIndex, contentDigest: Digest)

    /// A row that isn't what was written, or that says another release than its manifest.
    private struct WrongRow {
        let id: Int64
        /// As far as the columns tell them.
        let name: BundleName?
        let version: BundleVersion?
        /// What the release is, when that is known for certain.
        let known: KnownRelease?

        var isMisnamed: Bool {
            guard let manifest = known?.manifest, let name, let version else { return true }
            return !manifest.isOf(name, version)
        }
    }

    /// Gives rows of releases that are damaged what their manifests and indexes tell, and drops those that name nothing. Writes
    /// only when there are such rows.
    func repairReleaseRows() throws -> [RepairReport.Mended] {
        guard try !read(wrongRows).isEmpty else { return [] }
        return try change { database in
            try wrongRows(in: database).map { row in
                if let known = row.known, try restore(row, known, in: database) {
                    return RepairReport.Mended(
                        known.manifest.name,
                        known.manifest.version,
                        item: row.isMisnamed ? nil : "the row in the catalog, but for its times and its pin,",
                        source: "its manifest"
                    )
                }
                try Self.remove([row.id], in: database)
                return RepairReport.Mended(dropped: "row \(row.id) of the catalog", row.name, row.version)
            }
        }
    }

    private func wrongRows(in database: Database) throws -> [WrongRow] {
        try Row.fetchAll(database, sql: "SELECT * FROM release").compactMap { row in
            let name = row.text("bundle").flatMap(BundleName.init)
            let version = row.text("version").flatMap(BundleVersion.init)
            let bytes = row.value("manifest", as: Data.self).map(Array.init) ?? []
            let manifest = try? BundleManifest.parse(stored: bytes)
            if let name, let version, DigestedTable.release.isIntact(row) {
                guard let manifest, !manifest.isOf(name, version) else { return nil }
            }
            let known = manifest.flatMap { knownRelease($0, bytes, row) }
            // A row that names a release stays, when it may be the manifest that is wrong.
            guard known != nil || name == nil || version == nil else { return nil }
            return WrongRow(id: try row.decode(forColumn: "id"), name: name, version: version, known: known)
        }
    }

    /// The release of a row, if the digest that it has is that of the index that it names and the manifest; or if it would be
    /// what was written once it had that one.
    private func knownRelease(_ manifest: BundleManifest, _ bytes: [UInt8], _ row: Row) -> KnownRelease? {
        guard let file = row.text("indexFile").flatMap({ FileIdentifier(name: $0) }),
            let index = try? VersionIndex(file, in: layout),
            let digest = try? index.contentDigest(with: bytes),
            row.text("contentDigest") == digest.hex
                || DigestedTable.release.isIntact(row, with: ["contentDigest": digest.hex])
        else { return nil }
        return (manifest, index, digest)
    }

    /// Returns false, and changes nothing, when another row is of that release.
    private func restore(
        _ row: WrongRow,
        _ known: KnownRelease,
        in database: Database
    ) throws -> Bool {
        let (manifest, index, contentDigest) = known
        var byteCount: Int64 = 0
        try index.forEachEntry {
            byteCount = byteCount.addingReportingOverflow(Int64(clamping: $0.byteCount)).partialValue
        }
        // What nothing else tells stays as it is, or becomes what can be read at least.
        try database.execute(
            sql: """
                UPDATE OR IGNORE release SET bundle = ?, version = ?, contentDigest = ?, fileCount = ?, byteCount = ?,
                installedAt = iif(typeof(installedAt) = 'real', installedAt, 0.0),
                activatedAt = iif(typeof(activatedAt) = 'real', activatedAt, NULL),
                activationNumber = iif(activationNumber BETWEEN 0 AND ?, activationNumber, NULL),
                isPinned = iif(isPinned IN (0, 1), isPinned, 0),
                heldVersion = iif(typeof(heldVersion) = 'text', heldVersion, NULL)
                WHERE id = ?
                """,
            arguments: [
                manifest.name.string, manifest.version.string, contentDigest.hex, index.count, byteCount,
                Self.maximumActivationNumber, row.id,
            ]
        )
        guard database.changesCount > 0 else { return false }
        try DigestedTable.release.sign(row.id, in: database)
        try Self.enterBundle(of: row.id, in: database)
        return true
    }

    /// Writes the rows of bundles that are damaged or missing as their releases tell them, and drops those of bundles that
    /// have no release. Writes only when there are such rows.
    func repairBundles() throws -> [RepairReport.Mended] {
        guard try !read({ try InstalledRows(in: $0).damagedBundles.isEmpty }) else { return [] }
        return try change { database in
            let rows = try InstalledRows(in: database)
            return try rows.damagedBundles.compactMap { damaged in
                if let bundle = damaged.name.flatMap({ rows.bundles[$0] }) {
                    try Self.write(bundle, in: database)
                    return RepairReport.Mended(bundle, rows.releases.first { $0.id == bundle.active })
                }
                guard let key = damaged.key, try !Self.hasRelease(key, in: database) else { return nil }
                try database.execute(sql: "DELETE FROM bundle WHERE name = ?", arguments: [key])
                return RepairReport.Mended(
                    dropped: "the catalog's row of a bundle without a release",
                    damaged.name,
                    nil
                )
            }
        }
    }

    /// Whether there is a release of a bundle, be it one whose row can't be read.
    private static func hasRelease(_ bundle: DatabaseValue, in database: Database) throws -> Bool {
        try Bool.fetchOne(
            database,
            sql: "SELECT EXISTS (SELECT 1 FROM release WHERE bundle = ?)",
            arguments: [bundle]
        ) ?? false
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

extension RepairReport.Mended {
    fileprivate init(_ bundle: BundleRecord, _ active: ReleaseRecord?) {
        self.init(
            action: .repaired,
            name: bundle.name,
            version: active?.version,
            path: nil,
            item: active == nil ? "as a bundle without an active version" : "as the active version",
            source: "the activations of its releases"
        )
    }
}
