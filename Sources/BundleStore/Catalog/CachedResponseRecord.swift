import Foundation
import GRDB

/// A row of the catalog: a cached response from the network.
struct CachedResponseRecord: Sendable {
    let id: Int64
    let url: String
    let bundle: BundleName
    let version: BundleVersion
    let metadata: [UInt8]
    let body: FileIdentifier
    let byteCount: Int64
    let digest: Digest
    let storedAt: Date

    /// - Throws: ``/BundleModel/BundleError`` with code `storeDamaged` when the row isn't intact, or a column holds a
    ///   value that this program never writes; `RowDecodingError` when a column has another type, for which a subscript
    ///   would end the process.
    init(_ row: Row) throws {
        guard DigestedTable.cachedResponse.isIntact(row), let bundle = BundleName(try row.decode(forColumn: "bundle")),
            let version = BundleVersion(try row.decode(String.self, forColumn: "version")),
            let body = FileIdentifier(name: try row.decode(String.self, forColumn: "body")),
            let digest = Digest(hex: try row.decode(String.self, forColumn: "digest"))
        else {
            throw BundleError(.storeDamaged, "the catalog's list of cached responses is damaged; clear the cache")
        }
        id = try row.decode(forColumn: "id")
        url = try row.decode(forColumn: "url")
        self.bundle = bundle
        self.version = version
        metadata = Array(try row.decode(Data.self, forColumn: "metadata"))
        self.body = body
        self.digest = digest
        byteCount = try row.decode(forColumn: "byteCount")
        storedAt = Date(timeIntervalSince1970: try row.decode(forColumn: "storedAt"))
    }
}
