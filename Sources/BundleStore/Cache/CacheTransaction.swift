import Foundation
import GRDB

/// Changes to the cache within one transaction.
struct CacheTransaction {
    private let database: Database
    private let date: Date
    private(set) var state: CacheState
    private(set) var removed = RemovedResponses()
    /// The rows that this transaction inserts, whose numbers count once it is over.
    private var inserted: [ObjectIdentifier: Int64] = [:]
    private var active: [String: Bool] = [:]

    init(_ database: Database, _ state: CacheState, at date: Date) {
        self.database = database
        self.state = state
        self.date = date
    }

    mutating func apply(_ change: CacheChange) throws -> CachedRow.State {
        switch change {
        case .insert(let response, let row):
            return try insert(response, row)
        case .update(let row, let metadata, let selection, let parts):
            guard let id = id(of: row) else { return row.state }
            return try update(id, metadata, selection, parts) ? .written(id) : .absent
        case .remove(let row):
            if let id = id(of: row) { try remove(id, counting: true) }
            return .absent
        case .removeAll(let key):
            for (id, _) in try CachedResponseTables.selections(under: key, in: database) {
                try remove(id, counting: true)
            }
            return .absent
        }
    }

    private func id(of row: CachedRow) -> Int64? { row.id ?? inserted[ObjectIdentifier(row)] }

    private mutating func remove(_ id: Int64, counting: Bool) throws {
        guard let one = try CachedResponseTables.remove(id, in: database) else { return }
        removed.add(one)
        if counting { state.counters.removals += 1 }
    }

    private mutating func insert(_ response: NewCachedResponse, _ row: CachedRow) throws -> CachedRow.State {
        guard try isActive(response) else { return .refused }
        try makeWay(for: response)
        let id = try nextNumber()
        try write(response, as: id)
        for (part, body) in zip(response.parts.parts, response.bodies) { try write(body, part, of: id) }
        inserted[ObjectIdentifier(row)] = id
        return .written(id)
    }

    /// Removes the variants that it replaces, and the oldest of those that are too many.
    private mutating func makeWay(for response: NewCachedResponse) throws {
        var others: [Int64] = []
        for (id, selection) in try CachedResponseTables.selections(under: response.key, in: database) {
            if selection == response.selection || selection.matches(response.digests(selection.selectors)) {
                try remove(id, counting: false)
            } else {
                others.append(id)
            }
        }
        let surplus = others.count + 1 - CachedVariants.maximumCount
        for id in others.prefix(max(surplus, 0)) { try remove(id, counting: false) }
    }

    private mutating func nextNumber() throws -> Int64 {
        if inserted.isEmpty {
            let highest = try Int64.fetchOne(database, sql: "SELECT max(id) FROM cachedResponse") ?? 0
            state.lastResponse = max(state.lastResponse, highest)
            state.counters.insertions += 1
        }
        state.lastResponse += 1
        return state.lastResponse
    }

    private mutating func isActive(_ response: NewCachedResponse) throws -> Bool {
        guard response.bundle != .unbundled else { return true }
        let activation = response.activation
        let label = "\(response.bundle)@\(response.version) \(activation ?? -1)"
        if let known = active[label] { return known }
        let isActive =
            try Bool.fetchOne(
                database,
                sql: """
                    SELECT EXISTS (SELECT 1 FROM release
                    WHERE bundle = ? AND version = ? AND id IN (SELECT active FROM bundle)
                    AND (? IS NULL OR activationNumber = ?))
                    """,
                arguments: [response.bundle.string, response.version.string, activation, activation]
            ) ?? false
        active[label] = isActive
        return isActive
    }

    private func write(_ response: NewCachedResponse, as id: Int64) throws {
        let values: [DatabaseValue] = [
            id.databaseValue, response.url.databaseValue, response.bundle.string.databaseValue,
            response.version.string.databaseValue, response.key.bytes.databaseValue,
            response.selection.selectors.databaseValue, response.selection.digest.databaseValue,
            response.selection.alternative.databaseValue,
            Data(response.metadata).databaseValue, Data(response.parts.encoded).databaseValue,
            response.parts.byteCount.databaseValue,
            date.timeIntervalSince1970.databaseValue,
        ]
        try database.run(
            """
            INSERT INTO cachedResponse (
                id, url, bundle, version, key, selectors, selection, alternative, metadata, parts, byteCount, storedAt,
                rowDigest
            ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            StatementArguments(values + [DigestedTable.digest(of: values).hex.databaseValue])
        )
    }

    private func write(_ body: CachedBody, _ part: CachedPart, of id: Int64) throws {
        try database.run(
            "INSERT OR REPLACE INTO cachedBody (id, content, file) VALUES (?, ?, ?)",
            [
                part.bodyNumber(of: id), body.file == nil ? body.content.withUnsafeBytes { Data($0) } : nil,
                body.file?.identifier.name,
            ]
        )
    }

    /// Returns false when the response is gone.
    private mutating func update(
        _ id: Int64,
        _ metadata: [UInt8],
        _ selection: CachedSelection,
        _ parts: CachedPartChange?
    ) throws -> Bool {
        try DigestedTable.cachedResponse.changing(id, in: database) {
            try database.run(
                "UPDATE cachedResponse SET metadata = ?, selectors = ?, selection = ?, alternative = ? WHERE id = ?",
                [Data(metadata), selection.selectors, selection.digest, selection.alternative, id]
            )
            guard database.changesCount > 0, let parts else { return }
            try keep(parts, of: id)
        }
        return try Bool.fetchOne(
            database,
            sql: "SELECT EXISTS (SELECT 1 FROM cachedResponse WHERE id = ?)",
            arguments: [id]
        ) ?? false
    }

    private mutating func keep(_ parts: CachedPartChange, of id: Int64) throws {
        try database.run(
            "UPDATE cachedResponse SET parts = ?, byteCount = ? WHERE id = ?",
            [Data(parts.list.encoded), parts.list.byteCount, id]
        )
        let kept = Set(parts.list.parts.map { $0.bodyNumber(of: id) })
        let rows = try Row.fetchAll(
            database,
            sql: "SELECT id, file FROM cachedBody WHERE id BETWEEN ? AND ?",
            arguments: [id << 7, id << 7 | 127]
        )
        for row in rows {
            guard let number = row.value("id", as: Int64.self), !kept.contains(number) else { continue }
            if let file = row.text("file") { removed.files.append(file) }
            try database.run("DELETE FROM cachedBody WHERE id = ?", [number])
        }
        for (part, body) in parts.added { try write(body, part, of: id) }
    }
}
