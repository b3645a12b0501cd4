import Foundation
import GRDB

extension Catalog {
    /// The most that is counted as the length of a body.
    static let maximumBodyByteCount: Int64 = 1 << 40

    /// What is stored under a key: read from an index alone. At most ``BundleStore/maximumVariantCount``.
    func selections(under key: CachedKey) throws -> [(id: Int64, selection: CachedSelection)] {
        try read { try Self.selections(under: key, in: $0) }
    }

    static func selections(
        under key: CachedKey,
        in database: Database
    ) throws -> [(id: Int64, selection: CachedSelection)] {
        let statement = try database.cachedStatement(
            sql: "SELECT id, selectors, selection, alternative FROM cachedResponse WHERE key = ? ORDER BY id"
        )
        return try Row.fetchAll(statement, arguments: [key.bytes]).compactMap { row in
            // A damaged row counts as absent.
            guard let id = row.value("id", as: Int64.self) else { return nil }
            return (try? CachedSelection(row)).map { (id, $0) }
        }
    }

    /// What is stored under a key, with the variants that are selected and where their bytes are: in one transaction.
    func variants(
        under key: CachedKey,
        where isSelected: (CachedSelection) -> Bool
    ) throws -> CachedVariants {
        try read { database in
            let selections = try Self.selections(under: key, in: database)
            let selected = try selections.filter { isSelected($0.selection) }.compactMap { id, _ in
                var response = try Self.cachedResponse(id, in: database)
                let parts = response?.parts.parts ?? []
                response?.bodies = try parts.map { try Self.cachedBody($0, of: id, in: database) }
                return response
            }
            return CachedVariants(selections: selections, selected: selected)
        }
    }

    /// A response; nil when it is gone or its row is damaged.
    func cachedResponse(_ id: Int64) throws -> CachedResponse? {
        try read { try Self.cachedResponse(id, in: $0) }
    }

    private static func cachedResponse(_ id: Int64, in database: Database) throws -> CachedResponse? {
        let statement = try database.cachedStatement(sql: "SELECT * FROM cachedResponse WHERE id = ?")
        return try Row.fetchOne(statement, arguments: [id]).flatMap { try? CachedResponse($0) }
    }

    /// The bytes of a part, or the file that has them; nil when they are gone.
    func cachedBody(_ part: CachedPart, of id: Int64) throws -> CachedBytes? {
        try read { try Self.cachedBody(part, of: id, in: $0) }
    }

    private static func cachedBody(_ part: CachedPart, of id: Int64, in database: Database) throws -> CachedBytes? {
        let statement = try database.cachedStatement(sql: "SELECT content, file FROM cachedBody WHERE id = ?")
        guard let row = try Row.fetchOne(statement, arguments: [part.bodyNumber(of: id)]) else { return nil }
        if let file = row.text("file") { return FileIdentifier(name: file).map { .file($0) } }
        return row.value("content", as: Data.self).map { .content($0) }
    }

    /// Up to `limit` responses that are older than one, latest first. A row that can't be read counts as absent.
    func cachedResponses(
        olderThan last: Int64 = .max,
        url: String? = nil,
        limit: Int = .max
    ) throws -> (responses: [CachedResponse], last: Int64?) {
        try read { database in
            let rows = try Row.fetchAll(
                database,
                sql: "SELECT * FROM cachedResponse WHERE id < ? AND (? IS NULL OR url = ?) ORDER BY id DESC LIMIT ?",
                arguments: [last, url, url, limit]
            )
            return (rows.compactMap { try? CachedResponse($0) }, rows.last?.value("id", as: Int64.self))
        }
    }

    /// The rows that can't be read, with the bundle that they name, if any.
    func unreadableCachedResponses() throws -> [(id: Int64, bundle: BundleName?)] {
        try read { database in
            let sql = "SELECT \(DigestedTable.cachedResponse.selection) FROM cachedResponse ORDER BY id"
            var unreadable: [(id: Int64, bundle: BundleName?)] = []
            let rows = try Row.fetchCursor(database, sql: sql)
            while let row = try rows.next() {
                guard (try? CachedResponse(row)) == nil else { continue }
                unreadable.append((try row.decode(forColumn: "id"), row.text("bundle").flatMap(BundleName.init)))
            }
            return unreadable
        }
    }

    func holdsCachedResponse(_ id: Int64) throws -> Bool {
        try read { database in
            try Bool.fetchOne(
                database,
                sql: "SELECT EXISTS (SELECT 1 FROM cachedResponse WHERE id = ?)",
                arguments: [id]
            ) ?? false
        }
    }

    /// The length of a body according to its row; 0 when the value is invalid, so that it neither overflows a sum nor
    /// evicts other responses.
    static func bodyByteCount(_ row: Row) -> Int64 {
        row.integer("byteCount", in: 0...maximumBodyByteCount) ?? 0
    }
}

/// Where the bytes of a part are.
enum CachedBytes: Sendable {
    case content(Data)
    case file(FileIdentifier)
}

extension CachedPart {
    /// The number of its row among the bodies.
    func bodyNumber(of response: Int64) -> Int64 { response << 7 | Int64(number) }
}

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
