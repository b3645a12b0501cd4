import Foundation
import GRDB

/// The tables of the catalog whose rows decide what is served. Each row has the SHA-256 of its other columns, so that
/// edits and disk errors are detected. This protects only against accidents: it doesn't detect an edit that also renews
/// the digest.
enum DigestedTable: String, CaseIterable {
    case release, bundle, cachedResponse, quota, publisher

    /// The column that identifies a row.
    private var key: String {
        switch self {
        case .release, .cachedResponse: "id"
        case .bundle, .publisher: "name"
        case .quota: "only"
        }
    }

    /// The columns covered by the digest, in its order. The result of the last feed check decides nothing and isn't
    /// covered.
    var columns: [String] {
        switch self {
        case .release:
            [
                "id", "bundle", "version", "manifest", "indexFile", "contentDigest", "fileCount", "byteCount",
                "installedAt",
                "activatedAt", "activationNumber", "isPinned", "heldVersion",
            ]
        case .bundle: ["name", "active", "heldVersion"]
        case .cachedResponse:
            [
                "id", "url", "bundle", "version", "key", "selectors", "selection", "alternative", "metadata", "parts",
                "byteCount", "storedAt",
            ]
        case .quota: ["only", "byteCount"]
        case .publisher: ["name", "authorities", "mark", "number"]
        }
    }

    /// The columns of a query: every column, and the names of those whose texts continue after a zero byte, where
    /// reading them ends. Without the latter such texts would count as intact.
    var selection: String {
        let cut = columns.map { "iif(typeof(\($0)) = 'text' AND instr(CAST(\($0) AS BLOB), x'00'), '\($0) ', '')" }
        return "*, \(cut.joined(separator: " || ")) AS cutColumns"
    }

    /// Whether a row, queried with ``selection``, is intact.
    ///
    /// - Parameter columns: Values to assume for some columns instead of the stored ones.
    func isIntact(_ row: Row, with columns: [String: any DatabaseValueConvertible] = [:]) -> Bool {
        let cut = row.text("cutColumns")?.split(separator: " ") ?? []
        return cut.allSatisfy { columns[String($0)] != nil }
            && row.text("rowDigest") == digest(of: row, with: columns).hex
    }

    /// Sets the digest of a row that has just been written.
    func sign(_ row: some DatabaseValueConvertible, in database: Database) throws {
        guard let columns = try self.row(row, in: database) else { return }
        try database.execute(
            sql: "UPDATE \(rawValue) SET rowDigest = ? WHERE \(key) = ?",
            arguments: [digest(of: columns).hex, row]
        )
    }

    /// Runs `change`, which changes a row, and renews the row's digest. A row that was damaged before stays so.
    func changing(
        _ row: some DatabaseValueConvertible,
        in database: Database,
        _ change: () throws -> Void
    ) throws {
        let wasIntact = try self.row(row, in: database).map { isIntact($0) } ?? false
        try change()
        if wasIntact { try sign(row, in: database) }
    }

    /// Sets the digest of every row in tables that had no digests. Invalid rows of bundles get none.
    static func signAll(_ tables: [DigestedTable], in database: Database) throws {
        for table in tables {
            let isRight =
                table == .bundle
                ? "active IS NULL OR active IN (SELECT id FROM release WHERE release.bundle = bundle.name)" : "true"
            let keys = try DatabaseValue.fetchAll(
                database,
                sql: "SELECT \(table.key) FROM \(table.rawValue) WHERE \(isRight)"
            )
            for key in keys { try table.sign(key, in: database) }
        }
    }

    private func row(_ row: some DatabaseValueConvertible, in database: Database) throws -> Row? {
        try Row.fetchOne(database, sql: "SELECT \(selection) FROM \(rawValue) WHERE \(key) = ?", arguments: [row])
    }

    private func digest(of row: Row, with replacements: [String: any DatabaseValueConvertible] = [:]) -> Digest {
        Self.digest(of: columns.map { replacements[$0]?.databaseValue ?? row.value($0) ?? .null })
    }

    /// The digest of a row with these values of its ``columns``.
    static func digest(of values: [DatabaseValue]) -> Digest {
        var bytes: [UInt8] = []
        for value in values { value.append(to: &bytes) }
        return Digest(of: bytes)
    }
}

extension DatabaseValue {
    /// Appends the type, the length, and the value, so that different values never produce the same bytes.
    fileprivate func append(to bytes: inout [UInt8]) {
        let (type, value): (UInt8, [UInt8]) =
            switch storage {
            case .null: (0, [])
            case .int64(let value): (1, Self.bytes(value))
            case .double(let value): (2, Self.bytes(value.bitPattern))
            case .string(let value): (3, Array(value.utf8))
            case .blob(let value): (4, Array(value))
            }
        bytes.append(type)
        bytes.appendLittleEndian(UInt64(value.count))
        bytes += value
    }

    private static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendLittleEndian(value)
        return bytes
    }
}

extension Row {
    /// The value of a column, or nil when it doesn't have this type.
    func value<Value: DatabaseValueConvertible>(_ column: String, as type: Value.Type = Value.self) -> Value? {
        (self[column] as DatabaseValue?).flatMap(Value.fromDatabaseValue)
    }

    /// The text of a column, even if it is stored as bytes; nil for any other type.
    func text(_ column: String) -> String? { value(column) }

    /// The date of a column with seconds since 1970.
    func date(_ column: String) -> Date? {
        value(column, as: Double.self).flatMap { $0.isFinite ? Date(timeIntervalSince1970: $0) : nil }
    }

    /// The integer of a column, or nil when it is another type or out of bounds.
    func integer(_ column: String, in bounds: ClosedRange<Int64>) -> Int64? {
        guard case .int64(let value)? = (self[column] as DatabaseValue?)?.storage, bounds.contains(value) else {
            return nil
        }
        return value
    }
}
