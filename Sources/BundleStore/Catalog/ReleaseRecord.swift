import Foundation
import GRDB

/// A row of the catalog: one version of a bundle that the store holds.
struct ReleaseRecord: Sendable {
    let id: Int64
    let name: BundleName
    let version: BundleVersion
    let manifest: [UInt8]
    let index: FileIdentifier
    let contentDigest: Digest
    let fileCount: Int
    let byteCount: Int64
    let installedAt: Date
    let activatedAt: Date?
    let isActive: Bool

    static let selection = """
        SELECT release.*, bundle.active IS NOT NULL AS isActive
        FROM release LEFT JOIN bundle ON bundle.active = release.id
        """

    /// - Throws: ``BundleError`` with code `storeDamaged` when a column holds what this program never writes.
    init(_ row: Row) throws {
        guard let name = BundleName(row["bundle"]), let version = BundleVersion(row["version"]),
            let index = FileIdentifier(name: row["indexFile"] as String),
            let contentDigest = Digest(hex: row["contentDigest"] as String)
        else {
            throw BundleError(.storeDamaged, "the catalog's row of release \(row["id"] as Int64) is damaged; reinstall it")
        }
        id = row["id"]
        self.name = name
        self.version = version
        manifest = Array(row["manifest"] as Data)
        self.index = index
        self.contentDigest = contentDigest
        fileCount = row["fileCount"]
        byteCount = row["byteCount"]
        installedAt = Date(timeIntervalSince1970: row["installedAt"])
        activatedAt = (row["activatedAt"] as Double?).map(Date.init(timeIntervalSince1970:))
        isActive = row["isActive"]
    }
}
