import CSQLite

/// A result code of SQLite.
public struct ResultCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: CInt

    public init(rawValue: CInt) {
        self.rawValue = rawValue
    }

    /// The code without its extension.
    public var primaryResultCode: ResultCode { ResultCode(rawValue: rawValue & 0xFF) }

    public var description: String { "\(rawValue) (\(String(cString: sqlite3_errstr(rawValue))))" }

    public static let SQLITE_OK = ResultCode(rawValue: 0)
    public static let SQLITE_PERM = ResultCode(rawValue: 3)
    public static let SQLITE_ABORT = ResultCode(rawValue: 4)
    public static let SQLITE_BUSY = ResultCode(rawValue: 5)
    public static let SQLITE_READONLY = ResultCode(rawValue: 8)
    public static let SQLITE_IOERR = ResultCode(rawValue: 10)
    public static let SQLITE_CORRUPT = ResultCode(rawValue: 11)
    public static let SQLITE_FULL = ResultCode(rawValue: 13)
    public static let SQLITE_CANTOPEN = ResultCode(rawValue: 14)
    public static let SQLITE_NOTADB = ResultCode(rawValue: 26)
    public static let SQLITE_IOERR_SHORT_READ = ResultCode(rawValue: 10 | 2 << 8)
}
