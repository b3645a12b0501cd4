/// Numbered changes of a schema, each of which is made once.
public struct DatabaseMigrator {
    /// When a migration's foreign keys are checked.
    public enum ForeignKeyChecks {
        /// After it.
        case deferred
        /// With each statement.
        case immediate
    }

    private struct Migration {
        let name: String
        let checks: ForeignKeyChecks
        let change: (Database) throws -> Void
    }

    private var migrations: [Migration] = []

    public init() {}

    /// Adds a migration after the others.
    public mutating func registerMigration(
        _ name: String,
        foreignKeyChecks: ForeignKeyChecks = .deferred,
        migrate: @escaping (Database) throws -> Void
    ) {
        migrations.append(Migration(name: name, checks: foreignKeyChecks, change: migrate))
    }

    /// The migrations that were made, in order.
    public func appliedMigrations(_ database: Database) throws -> [String] {
        let exists = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'grdb_migrations'"
        guard try Int.fetchOne(database, sql: exists) == 1 else { return [] }
        let made = Set(try String.fetchAll(database, sql: "SELECT identifier FROM grdb_migrations"))
        return migrations.map(\.name).filter(made.contains)
    }

    /// Makes the migrations that are missing.
    public func migrate(_ queue: DatabaseQueue) throws {
        try queue.writeWithoutTransaction { database in
            // The table of GRDB, whose stores these are too.
            try database.execute(
                sql: "CREATE TABLE IF NOT EXISTS grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)"
            )
            let made = Set(try appliedMigrations(database))
            for migration in migrations where !made.contains(migration.name) { try make(migration, in: database) }
        }
    }

    private func make(_ migration: Migration, in database: Database) throws {
        let isDeferred = migration.checks == .deferred
        if isDeferred { try database.execute(sql: "PRAGMA foreign_keys = OFF") }
        defer { if isDeferred { try? database.execute(sql: "PRAGMA foreign_keys = ON") } }
        try database.inTransaction(.immediate) {
            try migration.change(database)
            try database.execute(
                sql: "INSERT INTO grdb_migrations (identifier) VALUES (?)",
                arguments: [migration.name]
            )
            if isDeferred, try Row.fetchOne(database, sql: "PRAGMA foreign_key_check") != nil {
                throw DatabaseError(resultCode: ResultCode(rawValue: 19), message: "FOREIGN KEY constraint violation")
            }
            return .commit
        }
    }
}
