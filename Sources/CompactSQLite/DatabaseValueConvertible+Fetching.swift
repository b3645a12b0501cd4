extension DatabaseValueConvertible {
    /// The first columns of all rows.
    public static func fetchAll(
        _ database: Database,
        sql: String,
        arguments: StatementArguments = StatementArguments()
    ) throws -> [Self] {
        try fetchAll(database.statement(sql), arguments: arguments)
    }

    /// The first columns of all rows.
    public static func fetchAll(
        _ statement: Statement,
        arguments: StatementArguments = StatementArguments()
    ) throws -> [Self] {
        try Row.fetchAll(statement, arguments: arguments).map { row in
            guard let value = fromDatabaseValue(row.first) else {
                throw RowDecodingError(description: "could not decode \(Self.self)")
            }
            return value
        }
    }

    /// The first column of the first row; nil without one, and for NULL.
    public static func fetchOne(
        _ database: Database,
        sql: String,
        arguments: StatementArguments = StatementArguments()
    ) throws -> Self? {
        try fetchOne(database.statement(sql), arguments: arguments)
    }

    /// The first column of the first row; nil without one, and for NULL.
    public static func fetchOne(
        _ statement: Statement,
        arguments: StatementArguments = StatementArguments()
    ) throws -> Self? {
        guard let row = try Row.fetchOne(statement, arguments: arguments), row.first != .null else { return nil }
        guard let value = fromDatabaseValue(row.first) else {
            throw RowDecodingError(description: "could not decode \(Self.self)")
        }
        return value
    }
}
