import Foundation
import GRDB

/// A row of the catalog: a response that came from the network.
struct CachedResponseRecord: Sendable {
    let id: Int64
    let url: String
    let bundle: BundleName
    let version: BundleVersion
    let metadata: [UInt8]
    let body: FileIdentifier
    let byteCount: Int64
    let storedAt: Date

    /// - Throws: ``BundleError`` with code `storeDamaged` when a column holds what this program never writes.
    init(_ row: Row) throws {
        guard let bundle = BundleName(row["bundle"]), let version = BundleVersion(row["version"]),
            let body = FileIdentifier(name: row["body"] as String)
        else {
            throw BundleError(.storeDamaged, "the catalog's list of cached responses is damaged; clear the cache")
        }
        id = row["id"]
        url = row["url"]
        self.bundle = bundle
        self.version = version
        metadata = Array(row["metadata"] as Data)
        self.body = body
        byteCount = row["byteCount"]
        storedAt = Date(timeIntervalSince1970: row["storedAt"])
    }
}
