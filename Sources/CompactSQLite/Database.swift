public import CSQLite

/// A connection. Used under its queue's lock alone.
public final class Database {
    /// The kind of a transaction.
    public enum TransactionKind: String {
        case deferred = "DEFERRED"
        case immediate = "IMMEDIATE"
    }

    /// How a transaction ends.
    public enum TransactionCompletion {
        case commit, rollback
    }

    public let sqliteConnection: OpaquePointer
    private var cache: [String: Statement] = [:]

    init(_ path: String, _ configuration: Configuration) throws {
        let flags = configuration.readonly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_CREATE | SQLITE_OPEN_READWRITE
        var opened: OpaquePointer?
        // One thread at a time uses it; the codes have their extensions.
        let code = sqlite3_open_v2(path, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK, let opened else {
            sqlite3_close(opened)
            throw DatabaseError(ResultCode(rawValue: code), nil, nil)
        }
        sqliteConnection = opened
        try setUp(configuration)
    }

    deinit {
        cache = [:]
        sqlite3_close_v2(sqliteConnection)
    }

    private func setUp(_ configuration: Configuration) throws {
        if configuration.foreignKeysEnabled { try execute(sql: "PRAGMA foreign_keys = ON") }
        if case .timeout(let seconds) = configuration.busyMode {
            sqlite3_busy_timeout(sqliteConnection, CInt(seconds * 1_000))
        }
        for setup in configuration.setups { try setup(self) }
        // Reads the schema, so that what isn't a database is found out now.
        try execute(sql: "SELECT * FROM sqlite_master LIMIT 1")
    }

    /// How many rows the last statement changed.
    public var changesCount: Int { Int(sqlite3_changes(sqliteConnection)) }

    /// The number of the row that was inserted last.
    public var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(sqliteConnection) }

    /// Runs the statements of a text; the arguments are those of them all, in order.
    public func execute(sql: String, arguments: StatementArguments = StatementArguments()) throws {
        var rest = Substring(sql)
        var values = arguments.values[...]
        while let (statement, end) = try prepare(rest) {
            let count = Int(sqlite3_bind_parameter_count(statement.handle))
            try statement.execute(arguments: StatementArguments(values.prefix(count)))
            values = values.dropFirst(count)
            rest = end
        }
        guard values.isEmpty else {
            throw DatabaseError(ResultCode(rawValue: SQLITE_MISUSE), "wrong number of statement arguments", sql)
        }
    }

    /// A statement that is prepared once.
    public func cachedStatement(sql: String) throws -> Statement {
        if let statement = cache[sql] { return statement }
        let statement = try statement(sql)
        cache[sql] = statement
        return statement
    }

    /// Runs `body` in a transaction.
    public func inTransaction(
        _ kind: TransactionKind = .immediate,
        _ body: () throws -> TransactionCompletion
    ) throws {
        try execute(sql: "BEGIN \(kind.rawValue) TRANSACTION")
        do {
            switch try body() {
            case .commit: try execute(sql: "COMMIT TRANSACTION")
            case .rollback: rollBack()
            }
        } catch {
            rollBack()
            throw error
        }
    }

    func statement(_ sql: String) throws -> Statement {
        guard let (statement, _) = try prepare(Substring(sql)) else {
            throw DatabaseError(ResultCode(rawValue: SQLITE_MISUSE), "empty statement", sql)
        }
        return statement
    }

    func error(_ code: CInt, _ sql: String?) -> DatabaseError {
        DatabaseError(ResultCode(rawValue: code), String(cString: sqlite3_errmsg(sqliteConnection)), sql)
    }

    /// SQLite has rolled back already after some errors.
    private func rollBack() {
        if sqlite3_get_autocommit(sqliteConnection) == 0 { try? execute(sql: "ROLLBACK TRANSACTION") }
    }

    /// The first statement of a text, and what follows it; nil when there is none.
    private func prepare(_ text: Substring) throws -> (Statement, Substring)? {
        var text = text
        while true {
            var handle: OpaquePointer?
            var sql = String(text)
            let (code, end) = sql.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { chars in
                    var tail: UnsafePointer<CChar>?
                    let code = sqlite3_prepare_v2(sqliteConnection, chars.baseAddress, CInt(chars.count), &handle, &tail)
                    return (code, tail.flatMap { tail in chars.baseAddress.map { tail - $0 } } ?? chars.count)
                }
            }
            guard code == SQLITE_OK else { throw error(code, sql) }
            let rest = Substring(sql.utf8.dropFirst(end)) 
            if let handle { return (Statement(handle, of: self, sql: sql), rest) }
            // White space and comments.
            guard !rest.isEmpty else { return nil }
            text = rest
        }
    }
}
