/// A copy of a row.
public struct Row: Sendable {
    private let names: [String]
    private let values: [DatabaseValue]

    init(names: [String], values: [DatabaseValue]) {
        self.names = names
        self.values = values
    }

    /// The value of a column; nil when there is none of this name.
    public subscript(name: String) -> DatabaseValue? { index(of: name).map { values[$0] } }

    /// The value of a column.
    ///
    /// - Throws: ``RowDecodingError`` when there is none of this name and type.
    public func decode<Value: DatabaseValueConvertible>(
        _ type: Value.Type = Value.self,
        forColumn name: String
    ) throws -> Value {
        guard let value = self[name] else { throw RowDecodingError(description: "column not found: \(name)") }
        guard let decoded = Value.fromDatabaseValue(value) else {
            throw RowDecodingError(description: "could not decode \(type) from column \(name)")
        }
        return decoded
    }

    var first: DatabaseValue { values.first ?? .null }

    private func index(of name: String) -> Int? {
        names.firstIndex(of: name) ?? names.firstIndex { $0.lowercased() == name.lowercased() }
    }

    /// All rows of a query.
    public static func fetchAll(
        _ database: Database,
        sql: String,
        arguments: StatementArguments = StatementArguments()
    ) throws -> [Row] {
        try fetchAll(database.statement(sql), arguments: arguments)
    }

    /// All rows of a statement.
    public static func fetchAll(
        _ statement: Statement,
        arguments: StatementArguments = StatementArguments()
    ) throws -> [Row] {
        let rows = try RowCursor(statement, arguments)
        var all: [Row] = []
        while let row = try rows.next() { all.append(row) }
        return all
    }

    /// The first row of a query.
    public static func fetchOne(
        _ database: Database,
        sql: String,
        arguments: StatementArguments = StatementArguments()
    ) throws -> Row? {
        try fetchOne(database.statement(sql), arguments: arguments)
    }

    /// The first row of a statement.
    public static func fetchOne(
        _ statement: Statement,
        arguments: StatementArguments = StatementArguments()
    ) throws -> Row? {
        let rows = try RowCursor(statement, arguments)
        defer { rows.finish() }
        return try rows.next()
    }

    /// The rows of a query, one after the other.
    public static func fetchCursor(
        _ database: Database,
        sql: String,
        arguments: StatementArguments = StatementArguments()
    ) throws -> RowCursor {
        try RowCursor(database.statement(sql), arguments)
    }
}
