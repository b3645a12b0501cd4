import CSQLite
import CompactFoundation

/// A prepared statement. Used on its connection's queue alone.
public final class Statement {
    let handle: OpaquePointer
    private let database: Database
    let sql: String
    private(set) lazy var columnNames: [String] = (0..<sqlite3_column_count(handle)).map { column in
        sqlite3_column_name(handle, column).map { String(cString: $0) } ?? ""
    }

    init(_ handle: OpaquePointer, of database: Database, sql: String) {
        self.handle = handle
        self.database = database
        self.sql = sql
    }

    deinit {
        sqlite3_finalize(handle)
    }

    /// Runs the statement to its end.
    public func execute(arguments: StatementArguments = StatementArguments()) throws {
        try begin(arguments)
        while try step() {}
    }

    func begin(_ arguments: StatementArguments) throws {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
        guard arguments.values.count == Int(sqlite3_bind_parameter_count(handle)) else {
            throw DatabaseError(ResultCode(rawValue: SQLITE_MISUSE), "wrong number of statement arguments", sql)
        }
        for (index, value) in arguments.values.enumerated() {
            let code = bind(value, at: CInt(index + 1))
            guard code == SQLITE_OK else { throw database.error(code, sql) }
        }
    }

    /// Returns whether there is a row.
    func step() throws -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        sqlite3_reset(handle)
        guard code == SQLITE_DONE else { throw database.error(code, sql) }
        return false
    }

    /// The current row.
    var row: Row {
        Row(names: columnNames, values: (0..<CInt(columnNames.count)).map(value))
    }

    private func bind(_ value: DatabaseValue, at index: CInt) -> CInt {
        // SQLite copies the bytes (SQLITE_TRANSIENT).
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value.storage {
        case .null: return sqlite3_bind_null(handle, index)
        case .int64(let number): return sqlite3_bind_int64(handle, index, number)
        case .double(let number): return sqlite3_bind_double(handle, index, number)
        case .string(var text):
            return text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { chars in
                    sqlite3_bind_text64(
                        handle, index, chars.baseAddress ?? UnsafePointer(bitPattern: 1), UInt64(chars.count), transient,
                        UInt8(SQLITE_UTF8)
                    )
                }
            }
        case .blob(let data):
            return data.withUnsafeBytes { bytes in
                bytes.isEmpty
                    ? sqlite3_bind_zeroblob(handle, index, 0)
                    : sqlite3_bind_blob64(handle, index, bytes.baseAddress, UInt64(bytes.count), transient)
            }
        }
    }

    private func value(_ column: CInt) -> DatabaseValue {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: return sqlite3_column_int64(handle, column).databaseValue
        case SQLITE_FLOAT: return sqlite3_column_double(handle, column).databaseValue
        case SQLITE_TEXT:
            return String(cString: sqlite3_column_text(handle, column)).databaseValue
        case SQLITE_BLOB:
            let start = sqlite3_column_blob(handle, column)
            return Data(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))).databaseValue
        default: return .null
        }
    }
}
