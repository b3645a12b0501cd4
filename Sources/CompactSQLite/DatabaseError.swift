import CSQLite

/// What SQLite reports.
public struct DatabaseError: Error, CustomStringConvertible {
    /// The code with its extension.
    public let extendedResultCode: ResultCode
    /// SQLite's words.
    public let message: String?
    let sql: String?

    /// The code without its extension.
    public var resultCode: ResultCode { extendedResultCode.primaryResultCode }

    public init(resultCode: ResultCode, message: String? = nil) {
        self.init(resultCode, message, nil)
    }

    init(_ code: ResultCode, _ message: String?, _ sql: String?) {
        extendedResultCode = code
        self.message = message ?? String(cString: sqlite3_errstr(code.rawValue))
        self.sql = sql
    }

    public var description: String {
        "SQLite error \(resultCode.rawValue): \(message ?? "")" + (sql.map { " - while executing `\($0)`" } ?? "")
    }
}

/// A column has another type than was asked for, or doesn't exist.
public struct RowDecodingError: Error, CustomStringConvertible {
    public let description: String
}
