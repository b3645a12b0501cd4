import Foundation
import GRDB
import Synchronization
import SystemPackage

/// The SQLite database that says which bundles and versions exist and which is active. Off the hot path.
///
/// It is read through one connection that can't write, and written through another that is opened by the first change. So
/// reading waits for no writer and needs no right to write.
///
/// Thread-safe: each connection does one thing at a time, and reads run beside writes (write-ahead log).
final class Catalog: Sendable {
    let layout: StoreLayout
    private let identity: MappedFile.Identity
    private let reader: DatabaseQueue
    private let writer = Mutex<DatabaseQueue?>(nil)
    /// What the releases' files take, as of a generation.
    let knownContent = Mutex<KnownContent?>(nil)

    /// Opens the database for reading.
    ///
    /// - Returns: Nil when there is none, or its tables are to be made or migrated; see
    ///   ``migrate(_:mayBeNew:)``.
    /// - Throws: `DatabaseError` or `Errno` when SQLite can't open it; ``BundleError`` with code `storeUnavailable` when a
    ///   newer program has changed its schema.
    init?(_ layout: StoreLayout) throws {
        let path = layout.catalog
        guard try Durable.exists(path) else { return nil }
        identity = try MappedFile.Identity(path.stat())
        let reader = try CatalogConnection.openForReading(path)
        guard try reader.read({ try CatalogSchema.isCurrent($0, at: path) }) else { return nil }
        self.layout = layout
        self.reader = reader
    }

    /// Makes or migrates the database. Only right while no other process does.
    ///
    /// - Parameter mayBeNew: Whether a store without a catalog is possible: not when it holds content, which would count as
    ///   orphaned.
    /// - Throws: ``BundleError`` with code `storeDamaged` when it is new and mustn't be; `DatabaseError` or `Errno` when it
    ///   can't be written.
    static func migrate(_ path: FilePath, mayBeNew: Bool) throws {
        let migrator = CatalogSchema.migrator
        if !mayBeNew {
            // Opening for writing makes a database where there is none.
            let isThere = try Durable.exists(path) && path.stat().size > 0
            guard isThere, try !CatalogConnection.openForReading(path).read(migrator.appliedMigrations).isEmpty else {
                throw BundleError(
                    .storeDamaged,
                    "\(path) is missing or empty, though there is content beside it; restore it from a copy, or move the "
                        + "folder away and install the bundles again"
                )
            }
        }
        let queue = try CatalogConnection.openForWriting(path)
        try migrator.migrate(queue)
        // Where the number in the header was damaged there is nothing to migrate, and nothing else that is wrong.
        try queue.write { try $0.execute(sql: "PRAGMA user_version = \(CatalogSchema.currentVersion)") }
    }

    /// Runs `body` in a transaction that reads.
    ///
    /// - Throws: ``BundleError`` with code `storeUnavailable` when the database that was opened isn't the one that its path
    ///   leads to any more.
    func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try checkIdentity()
        return try reader.read { database in
            try CatalogConnection.tellingSystemErrors(of: database) { try body(database) }
        }
    }

    /// Runs `body` in one transaction that writes, and makes it durable.
    ///
    /// - Throws: As ``read(_:)``.
    func write<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try checkIdentity()
        return try openWriter().writeWithoutTransaction { database in
            var result: Result?
            try CatalogConnection.tellingSystemErrors(of: database) {
                try database.inTransaction(.immediate) {
                    try checkSchema(in: database)
                    result = try body(database)
                    return .commit
                }
            }
            guard let result else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
            return result
        }
    }

    /// Counts what readers must see: installs, activations, removals. Another process that finds it changed looks again. Less
    /// than 0 while it is damaged.
    func generation() throws -> Int64 {
        try read { database in
            // What is open is read on, but not by the next process.
            guard FileManager.default.isReadableFile(atPath: layout.catalog.string) else {
                throw Errno.permissionDenied
            }
            // The rest may come from memory or from the log.
            try CatalogConnection.checkHeader(of: database)
            return try Self.generation(in: database)
        }
    }

    /// An open database stays readable and writable when its file is removed, but nobody else would ever see what is written.
    private func checkIdentity() throws {
        let path = layout.catalog
        guard try Durable.exists(path), try MappedFile.Identity(path.stat()) == identity else {
            throw BundleError(
                .storeUnavailable,
                "the store in \(layout.root) was replaced or removed while it was in use; restart the server, or put it back"
            )
        }
    }

    /// A newer program may have converted the database since it was opened; this one doesn't know what it has to write then.
    private func checkSchema(in database: Database) throws {
        _ = try CatalogSchema.isCurrent(database, at: layout.catalog)
    }

    /// Runs `changes` in one transaction that also raises the generation.
    func change<Result>(_ changes: (Database) throws -> Result) throws -> Result {
        try write { database in
            let result = try changes(database)
            try Self.raiseGeneration(in: database)
            return result
        }
    }

    /// Takes the whole log into the database and begins it anew, so that what was committed can't be undone by damage to the
    /// log. Without the room for it, or while somebody reads what was before, it is left to the next time: that a file is
    /// removed must not depend on it.
    func settle() {
        try? openWriter().writeWithoutTransaction { database in
            try checkSchema(in: database)
            try database.execute(sql: "PRAGMA wal_checkpoint(FULL)")
            // The first write after that overwrites the log's start, and then the rest of it counts no more.
            try database.execute(sql: "PRAGMA user_version = \(CatalogSchema.currentVersion)")
        }
    }

    private func openWriter() throws -> DatabaseQueue {
        try writer.withLock { writer in
            if let writer { return writer }
            let opened = try CatalogConnection.openForWriting(layout.catalog)
            writer = opened
            return opened
        }
    }
}
