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
    let isPinned: Bool

    // By name too, which is the key: without it each release would be looked for among all bundles.
    static let selection = """
        SELECT release.*, bundle.active IS NOT NULL AS isActive
        FROM release LEFT JOIN bundle ON bundle.name = release.bundle AND bundle.active = release.id
        """

    /// - Throws: ``BundleError`` with code `storeDamaged` when a column holds what this program never writes;
    ///   `RowDecodingError` when it has another type, which a subscript would end the process for.
    init(_ row: Row) throws {
        id = try row.decode(forColumn: "id")
        guard let name = BundleName(try row.decode(forColumn: "bundle")),
            let version = BundleVersion(try row.decode(String.self, forColumn: "version")),
            let index = FileIdentifier(name: try row.decode(String.self, forColumn: "indexFile")),
            let contentDigest = Digest(hex: try row.decode(String.self, forColumn: "contentDigest"))
        else {
            throw BundleError(.storeDamaged, "row \(id) of the catalog's releases is damaged")
        }
        self.name = name
        self.version = version
        manifest = Array(try row.decode(Data.self, forColumn: "manifest"))
        self.index = index
        self.contentDigest = contentDigest
        fileCount = try row.decode(forColumn: "fileCount")
        byteCount = try row.decode(forColumn: "byteCount")
        installedAt = Date(timeIntervalSince1970: try row.decode(forColumn: "installedAt"))
        activatedAt = try row.decode(Double?.self, forColumn: "activatedAt").map(Date.init(timeIntervalSince1970:))
        isActive = try row.decode(forColumn: "isActive")
        isPinned = try row.decode(forColumn: "isPinned")
    }
}
