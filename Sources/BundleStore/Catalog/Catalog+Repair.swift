import Foundation
import GRDB

extension Catalog {
    /// A row whose columns don't say which release it is, or say another one than its manifest.
    private struct MisnamedRow {
        let id: Int64
        /// As far as the columns tell them.
        let name: BundleName?
        let version: BundleVersion?
        /// What the release is, when that is known for certain.
        let manifest: BundleManifest?
    }

    /// Gives rows of releases whose name or version is damaged those that their manifests have, and drops those that name
    /// nothing. Writes only when there are such rows.
    func repairReleaseNames() throws -> [RepairReport.Mended] {
        guard try !read(misnamedRows).isEmpty else { return [] }
        return try change { database in
            try misnamedRows(in: database).map { row in
                if let manifest = row.manifest, try rename(row, as: manifest, in: database) {
                    return RepairReport.Mended(manifest.name, manifest.version, source: "its manifest")
                }
                try Self.remove([row.id], in: database)
                return RepairReport.Mended(dropped: "row \(row.id) of the catalog", row.name, row.version)
            }
        }
    }

    private func misnamedRows(in database: Database) throws -> [MisnamedRow] {
        try Row.fetchAll(database, sql: "SELECT * FROM release").compactMap { row in
            let name = row.text("bundle").flatMap(BundleName.init)
            let version = row.text("version").flatMap(BundleVersion.init)
            let bytes = row.value("manifest", as: Data.self).map(Array.init) ?? []
            let manifest = try? BundleManifest.parse(stored: bytes)
            if let name, let version {
                guard let manifest, !manifest.isOf(name, version) else { return nil }
            }
            let id: Int64 = try row.decode(forColumn: "id")
            let isCertain = manifest != nil && isManifestIntact(bytes, row)
            // A row that names a release stays, when it may be the manifest that is wrong.
            guard isCertain || name == nil || version == nil else { return nil }
            return MisnamedRow(id: id, name: name, version: version, manifest: isCertain ? manifest : nil)
        }
    }

    private func isManifestIntact(_ manifest: [UInt8], _ row: Row) -> Bool {
        guard let file = row.text("indexFile").flatMap({ FileIdentifier(name: $0) }),
            let digest = row.text("contentDigest").flatMap({ Digest(hex: $0) }),
            let index = try? VersionIndex(file, in: layout)
        else { return false }
        return (try? index.contentDigest(with: manifest)) == digest
    }

    /// Returns false, and changes nothing, when another row is of that release.
    private func rename(_ row: MisnamedRow, as manifest: BundleManifest, in database: Database) throws -> Bool {
        try database.execute(
            sql: "UPDATE OR IGNORE release SET bundle = ?, version = ? WHERE id = ?",
            arguments: [manifest.name.string, manifest.version.string, row.id]
        )
        guard database.changesCount > 0 else { return false }
        try database.execute(
            sql: "INSERT INTO bundle (name) VALUES (?) ON CONFLICT DO NOTHING",
            arguments: [manifest.name.string]
        )
        return true
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
