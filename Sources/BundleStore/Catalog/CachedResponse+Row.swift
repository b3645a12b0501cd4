import Foundation
import GRDB

extension CachedResponse {
    /// - Parameter row: All columns of a row.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeDamaged` when the row isn't intact, or a column holds a
    ///   value that this program never writes; `RowDecodingError` when a column has another type, for which a subscript
    ///   would end the process.
    init(_ row: Row) throws {
        guard DigestedTable.cachedResponse.isIntact(row),
            let bundle = BundleName.ofCached(try row.decode(forColumn: "bundle")),
            let version = BundleVersion(try row.decode(String.self, forColumn: "version")),
            case let encoded = Array(try row.decode(Data.self, forColumn: "parts")),
            let parts = encoded.withUnsafeBytes({ CachedPartList(encoded: $0) })
        else {
            throw BundleError(.storeDamaged, "the catalog's list of cached responses is damaged; clear the cache")
        }
        id = try row.decode(forColumn: "id")
        url = try row.decode(forColumn: "url")
        self.bundle = bundle
        self.version = version
        selection = try CachedSelection(row)
        metadata = Array(try row.decode(Data.self, forColumn: "metadata"))
        self.parts = parts
        byteCount = try row.decode(forColumn: "byteCount")
        storedAt = Date(timeIntervalSince1970: try row.decode(forColumn: "storedAt"))
    }
}

extension CachedSelection {
    init(_ row: Row) throws {
        self.init(
            selectors: try row.decode(forColumn: "selectors"),
            digest: try row.decode(forColumn: "selection"),
            alternative: try row.decode(Int64?.self, forColumn: "alternative")
        )
    }
}
