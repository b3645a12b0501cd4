import Foundation
import GRDB

/// The tables `cachedResponse`, `cachedBody` and `cacheState`: what is kept of what came from the network.
struct CachedResponseTables {
    let connection: CatalogConnection
    let storage: StorageTables

    /// What is stored under a key: read from an index alone. At most ``CachedVariants/maximumCount``.
    func selections(under key: CachedKey) throws -> [(id: Int64, selection: CachedSelection)] {
        try connection.read { try Self.selections(under: key, in: $0) }
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
        try connection.read { database in
            let selections = try Self.selections(under: key, in: database)
            let selected = try selections.filter { isSelected($0.selection) }.compactMap { id, _ in
                var response = try Self.response(id, in: database)
                let parts = response?.parts.parts ?? []
                response?.bodies = try parts.map { try Self.body($0, of: id, in: database) }
                return response
            }
            return CachedVariants(selections: selections, selected: selected)
        }
    }

    /// A response; nil when it is gone or its row is damaged.
    func response(_ id: Int64) throws -> CachedResponse? {
        try connection.read { try Self.response(id, in: $0) }
    }

    private static func response(_ id: Int64, in database: Database) throws -> CachedResponse? {
        let statement = try database.cachedStatement(sql: "SELECT * FROM cachedResponse WHERE id = ?")
        return try Row.fetchOne(statement, arguments: [id]).flatMap { try? CachedResponse($0) }
    }

    /// The bytes of a part, or the file that has them; nil when they are gone.
    func body(_ part: CachedPart, of id: Int64) throws -> CachedBytes? {
        try connection.read { try Self.body(part, of: id, in: $0) }
    }

    private static func body(_ part: CachedPart, of id: Int64, in database: Database) throws -> CachedBytes? {
        let statement = try database.cachedStatement(sql: "SELECT content, file FROM cachedBody WHERE id = ?")
        guard let row = try Row.fetchOne(statement, arguments: [part.bodyNumber(of: id)]) else { return nil }
        if let file = row.text("file") { return FileIdentifier(name: file).map { .file($0) } }
        return row.value("content", as: Data.self).map { .content($0) }
    }

    /// Up to `limit` responses that are older than one, latest first. A row that can't be read counts as absent.
    func responses(
        olderThan last: Int64 = .max,
        url: String? = nil,
        limit: Int = .max
    ) throws -> (responses: [CachedResponse], last: Int64?) {
        try connection.read { database in
            let rows = try Row.fetchAll(
                database,
                sql: "SELECT * FROM cachedResponse WHERE id < ? AND (? IS NULL OR url = ?) ORDER BY id DESC LIMIT ?",
                arguments: [last, url, url, limit]
            )
            return (rows.compactMap { try? CachedResponse($0) }, rows.last?.value("id", as: Int64.self))
        }
    }

    /// The rows that can't be read, with the bundle that they name, if any.
    func unreadable() throws -> [(id: Int64, bundle: BundleName?)] {
        try connection.read { database in
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

    func holds(_ id: Int64) throws -> Bool {
        try connection.read { database in
            try Bool.fetchOne(
                database,
                sql: "SELECT EXISTS (SELECT 1 FROM cachedResponse WHERE id = ?)",
                arguments: [id]
            ) ?? false
        }
    }

    // MARK: - Changes

    /// Applies changes in one transaction, and evicts what is too much then.
    ///
    /// - Parameters:
    ///   - limits: How much is kept.
    ///   - staged: The bytes of bodies that are being written, which count towards the quota.
    ///   - date: When the responses are stored.
    /// - Returns: What was removed, and for each change the state of its row.
    func apply(
        _ cacheChanges: [CacheChange],
        limits: CacheLimits,
        beside staged: Int64,
        sparing use: CacheUse,
        noting changes: CacheChanges,
        at date: Date
    ) throws -> (removed: RemovedResponses, states: [CachedRow.State]) {
        try changing(changes) { database, state in
            var transaction = CacheTransaction(database, state, at: date)
            // A row that is inserted and changed in one transaction has no number before it is over.
            let states = try cacheChanges.map { try transaction.apply($0) }
            state = transaction.state
            state.sums = try CacheState(in: database).sums
            var limits = limits
            limits.maximumByteCount = try storage.cacheByteCount(
                within: limits.maximumByteCount,
                beside: staged,
                in: database
            )
            var removed = transaction.removed
            removed.add(try use.evict(beyond: limits, &state, in: database))
            return (removed, states)
        }
    }

    /// Removes the responses of a bundle, or all of them.
    func removeAll(of bundle: BundleName?, noting changes: CacheChanges) throws -> RemovedResponses {
        try changing(changes) { database, state in
            let arguments: StatementArguments = [bundle?.string, bundle?.string]
            var removed = RemovedResponses()
            let rows = "FROM cachedResponse WHERE ? IS NULL OR bundle = ?"
            let bodies = try Row.fetchCursor(database, sql: "SELECT byteCount \(rows)", arguments: arguments)
            while let row = try bodies.next() {
                removed.count += 1
                removed.byteCount &+= StorageTables.bodyByteCount(row)
            }
            removed.files = try String.fetchAll(
                database,
                sql: "SELECT file FROM cachedBody WHERE file IS NOT NULL AND id >> 7 IN (SELECT id \(rows))",
                arguments: arguments
            )
            try database.execute(sql: "DELETE \(rows)", arguments: arguments)
            // What was fetched ahead is fetched again.
            try database.execute(sql: "DELETE FROM precache WHERE ? IS NULL OR bundle = ?", arguments: arguments)
            if removed.count > 0 { state.counters.removals += 1 }
            return removed
        }
    }

    /// Removes responses that were fetched under versions that aren't active any more. Their keys have the version, so
    /// nothing finds them, however many there are.
    ///
    /// - Parameter limit: How many are removed at most, in one transaction.
    func removeOutdated(limit: Int) throws -> RemovedResponses {
        guard try connection.read({ try Self.outdated(limit: 1, in: $0) }).first != nil else {
            return RemovedResponses()
        }
        return try connection.write { database in
            var state = try CacheState(in: database)
            // Before a trigger makes numbers of what is none.
            _ = try state.repairSums(in: database)
            var removed = RemovedResponses()
            for id in try Self.outdated(limit: limit, in: database) {
                if let one = try Self.remove(id, in: database) { removed.add(one) }
            }
            return removed
        }
    }

    /// Reads only places in an index, whatever is stored under active versions.
    private static func outdated(limit: Int, in database: Database) throws -> [Int64] {
        let active = try Row.fetchAll(
            database,
            sql: "SELECT bundle.name AS name, version FROM bundle JOIN release ON release.id = bundle.active"
        )
        var outdated: [Int64] = []
        for row in active {
            guard let name = row.text("name"), let version = row.text("version") else { continue }
            for comparison in ["<", ">"] where outdated.count < limit {
                outdated += try Int64.fetchAll(
                    database,
                    sql: "SELECT id FROM cachedResponse WHERE bundle = ? AND version \(comparison) ? LIMIT ?",
                    arguments: [name, version, limit - outdated.count]
                )
            }
        }
        return outdated
    }

    /// Removes one response. Returns nil when it didn't exist.
    func remove(_ id: Int64, noting changes: CacheChanges) throws -> RemovedResponses? {
        try changing(changes) { database, state in
            guard let removed = try Self.remove(id, in: database) else { return nil }
            state.counters.removals += 1
            return removed
        }
    }

    /// Runs a transaction that changes what is cached, and counts it.
    func changing<Result>(
        _ changes: CacheChanges,
        _ body: (Database, inout CacheState) throws -> Result
    ) throws -> Result {
        try changes.changing { noteChange in
            try connection.write { database in
                var state = try CacheState(in: database)
                let old = state.counters
                // Before a trigger makes numbers of what is none.
                _ = try state.repairSums(in: database)
                let result = try body(database, &state)
                try state.writeCounters(in: database)
                noteChange(old, state.counters)
                return result
            }
        }
    }

    /// Returns nil when it didn't exist.
    static func remove(_ id: Int64, in database: Database) throws -> RemovedResponses? {
        let files = try String.fetchAll(
            database.cachedStatement(
                sql: "SELECT file FROM cachedBody WHERE id BETWEEN ? AND ? AND file IS NOT NULL"
            ),
            arguments: [id << 7, id << 7 | 127]
        )
        let row = try Row.fetchOne(
            database.cachedStatement(sql: "SELECT byteCount FROM cachedResponse WHERE id = ?"),
            arguments: [id]
        )
        guard let row else { return nil }
        try database.run("DELETE FROM cachedResponse WHERE id = ?", [id])
        return RemovedResponses(count: 1, byteCount: StorageTables.bodyByteCount(row), files: files)
    }
}

extension Catalog {
    var cachedResponses: CachedResponseTables { CachedResponseTables(connection: connection, storage: storage) }

    /// The generation, and the counters of the cache.
    func counters() throws -> (generation: Int64, cache: CacheChanges.Counters) {
        try readFile { database in
            (try CatalogGeneration.value(in: database), try CacheState(in: database).counters)
        }
    }
}

/// What was removed. The rows may have been damaged, so nothing else is read from them.
struct RemovedResponses {
    var count = 0
    var byteCount: Int64 = 0
    /// The names of files with bodies.
    var files: [String] = []
}

extension RemovedResponses {
    mutating func add(_ other: Self) {
        count += other.count
        byteCount &+= other.byteCount
        files += other.files
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
