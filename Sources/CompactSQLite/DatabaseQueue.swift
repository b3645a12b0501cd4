import CompactFoundation

/// A connection that one thread at a time uses. Thread-safe.
///
/// Unchecked: the connection is used under the lock alone.
public final class DatabaseQueue: @unchecked Sendable {
    private let database: Database
    private let lock = RecursiveLock()

    /// Opens a database.
    public init(path: String, configuration: Configuration = Configuration()) throws {
        database = try Database(path, configuration)
    }

    /// Runs `body` in a read transaction.
    public func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try transaction(.deferred, body)
    }

    /// Runs `body` in a write transaction.
    public func write<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try transaction(.immediate, body)
    }

    /// Runs `body`, which makes its own transactions.
    public func writeWithoutTransaction<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try lock.withLock { try body(database) }
    }

    private func transaction<Result>(
        _ kind: Database.TransactionKind,
        _ body: (Database) throws -> Result
    ) throws -> Result {
        try lock.withLock {
            var result: Result?
            try database.inTransaction(kind) {
                result = try body(database)
                return .commit
            }
            guard let result else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
            return result
        }
    }
}
