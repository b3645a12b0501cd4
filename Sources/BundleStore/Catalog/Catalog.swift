import Foundation
import GRDB
import SystemPackage

/// The SQLite database that says which bundles and versions exist and which is active. Off the hot path.
///
/// Thread-safe: GRDB serialises writes and lets reads run beside them (write-ahead log).
final class Catalog: Sendable {
    let database: DatabasePool

    /// Opens the database, creating or migrating it when needed.
    ///
    /// - Parameter mayBeNew: Whether a store without a catalog is possible: not when it holds content, which would count as
    ///   orphaned.
    /// - Throws: `DatabaseError` when SQLite can't open it; ``BundleError`` with code `storeUnavailable` when a newer
    ///   program has changed its schema, `storeDamaged` when it is new and mustn't be.
    init(_ path: FilePath, mayBeNew: Bool) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(Self.busyTimeout)
        configuration.prepareDatabase { database in
            // FULL syncs the log at each commit: a commit that was reported survives a power cut.
            try database.execute(sql: "PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA foreign_keys = ON")
        }
        database = try DatabasePool(path: path.string, configuration: configuration)
        let migrator = CatalogSchema.migrator
        guard try !database.read(migrator.hasBeenSuperseded) else {
            throw BundleError(.storeUnavailable, "\(path) was written by a newer bundlectl; update this one")
        }
        guard try mayBeNew || !database.read(migrator.appliedMigrations).isEmpty else {
            throw BundleError(
                .storeDamaged,
                "\(path) is missing or empty, though there is content beside it; restore it from a copy, or move the folder "
                    + "away and install the bundles again"
            )
        }
        try migrator.migrate(database)
    }

    private static let busyTimeout: TimeInterval = 10

    /// Counts what readers must see: installs, activations, removals. Another process that finds it changed looks again.
    func generation() throws -> Int64 {
        try database.read { try Int64.fetchOne($0, sql: "SELECT value FROM generation") ?? 0 }
    }

    /// Runs `changes` in one transaction that also raises the generation.
    func change<Result>(_ changes: (Database) throws -> Result) throws -> Result {
        try database.write { database in
            let result = try changes(database)
            try database.execute(sql: "UPDATE generation SET value = value + 1")
            return result
        }
    }
}
