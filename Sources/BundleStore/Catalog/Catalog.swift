import Foundation
import GRDB
import Synchronization
import SystemPackage

/// The SQLite database that records which bundles and versions exist and which version is active. Off the hot path.
///
/// It is read through one connection that can't write, and written through another that the first change opens. So
/// reading doesn't wait for a writer and needs no write permission.
///
/// Thread-safe: each connection does one thing at a time, and reads run beside writes (write-ahead log).
final class Catalog: Sendable {
    let layout: StoreLayout
    private let identity: MappedFile.Identity
    private let reader: DatabaseQueue
    private let commitCounter: CommitCounter
    private let writer = Mutex<DatabaseQueue?>(nil)
    /// The size of the releases' files, as of a generation.
    let knownContent = Mutex<KnownContent?>(nil)
    /// The handler that is notified of the events that this process records; see ``BundleStore/setEventHandler(_:)``.
    let eventHandler = Mutex<(@Sendable (UpdateEvent) -> Void)?>(nil)

    /// Opens the database for reading.
    ///
    /// - Returns: Nil when the database doesn't exist, or its tables have to be created or migrated; see
    ///   ``migrate(_:mayBeNew:)``.
    /// - Throws: `DatabaseError` or `Errno` when SQLite can't open it; ``/BundleModel/BundleError`` with code
    ///   `storeUnavailable` when a newer program has changed its schema.
    init?(_ layout: StoreLayout) throws {
        let path = layout.catalog
        guard try Durable.exists(path) else { return nil }
        identity = try MappedFile.Identity(path.stat())
        let reader = try CatalogConnection.openForReading(path)
        guard try reader.read({ try CatalogSchema.isCurrent($0, at: path) }) else { return nil }
        self.layout = layout
        self.reader = reader
        commitCounter = try reader.read { CommitCounter(try CatalogConnection.commitCounter(of: $0)) }
    }

    /// Creates or migrates the database. Only valid while no other process does so.
    ///
    /// - Parameter mayBeNew: Whether the store may lack a catalog: not when it holds content, which would count as
    ///   orphaned.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeDamaged` when it is new but mustn't be; `DatabaseError`
    ///   or `Errno` when it can't be written.
    static func migrate(_ path: FilePath, mayBeNew: Bool) throws {
        let migrator = CatalogSchema.migrator
        if !mayBeNew {
            // Opening for writing creates a missing database.
            let isThere = try Durable.exists(path) && path.stat().size > 0
            guard isThere, try !CatalogConnection.openForReading(path).read(migrator.appliedMigrations).isEmpty else {
                throw BundleError(
                    .storeDamaged,
                    "\(path) is missing or empty, though there is content beside it; restore it from a copy, or move the "
                        + "folder away and install the bundles again"
                )
            }
        }
        // SQLite gives the files beside a database its owner and mode.
        try FileOwner.makeEmptyFile(path, permissions: [.ownerReadWrite, .groupRead, .otherRead])
        let queue = try CatalogConnection.openForWriting(path)
        try migrator.migrate(queue)
        try queue.writeWithoutTransaction { database in
            guard try Int.fetchOne(database, sql: "PRAGMA auto_vacuum") == 0 else { return }
            // A database that wasn't made so can return room only after it was rewritten.
            try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL; VACUUM")
        }
        // If only the number in the header was damaged, nothing has to be migrated and nothing else is wrong.
        try queue.write { try $0.execute(sql: "PRAGMA user_version = \(CatalogSchema.currentVersion)") }
    }

    /// Runs `body` in a read transaction.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when its path no longer leads to the
    ///   database that was opened.
    func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try checkIdentity()
        return try reader.read { database in
            try CatalogConnection.tellingSystemErrors(of: database) { try body(database) }
        }
    }

    /// Copies the database as it is to a new file, with SQLite's online backup: others may write meanwhile.
    ///
    /// - Throws: As ``read(_:)``.
    func copy(to path: FilePath) throws {
        try checkIdentity()
        try reader.backup(to: DatabaseQueue(path: path.string))
    }

    /// Runs `body` in one write transaction, and makes it durable.
    ///
    /// - Throws: As ``read(_:)``.
    func write<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try checkIdentity()
        return try openWriter().writeWithoutTransaction { database in
            var result: Result?
            var events: [UpdateEvent] = []
            let handler = eventHandler.withLock(\.self)
            try CatalogConnection.tellingSystemErrors(of: database) {
                try database.inTransaction(.immediate) {
                    try checkSchema(in: database)
                    let last = try handler.map { _ in try Self.lastEventNumber(in: database) }
                    result = try body(database)
                    if let last { events = try Self.events(of: nil, after: last, in: database) }
                    return .commit
                }
            }
            guard let result else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
            // In the order of the transactions: the next one of this process waits.
            if let handler { events.forEach(handler) }
            return result
        }
    }

    /// Differs from an earlier value when any process has committed since; nil where that isn't known. Reads memory only.
    var commitCount: UInt32? { commitCounter.value }

    /// Counts changes that readers must see: installs, activations, removals. A process that finds it changed reads the
    /// catalog again. Less than 0 while it is damaged.
    func generation() throws -> Int64 { try counters().generation }

    /// The generation, and the counters of the cache.
    func counters() throws -> (generation: Int64, cache: CacheChanges.Counters) {
        try read { database in
            // This process can read the open file on, but the next process can't.
            guard FileManager.default.isReadableFile(atPath: layout.catalog.string) else {
                throw Errno.permissionDenied
            }
            // The rest may come from memory or from the log.
            try CatalogConnection.checkHeader(of: database)
            return (try Self.generation(in: database), try CacheState(in: database).counters)
        }
    }

    /// An open database stays readable and writable after its file is removed, but no other process would ever see what
    /// is written.
    private func checkIdentity() throws {
        let path = layout.catalog
        guard try Durable.exists(path), try MappedFile.Identity(path.stat()) == identity else {
            throw BundleError(
                .storeUnavailable,
                "the store in \(layout.root) was replaced or removed while it was in use; restart the server, or put it back"
            )
        }
    }

    /// A newer program may have migrated the database since it was opened; this one doesn't know what it must write
    /// then.
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

    /// Checkpoints the whole log and restarts it, so that damage to the log can't undo what was committed. Without the
    /// room for that, or while a reader uses an earlier state, it is left to the next time: removing a file must not
    /// depend on it.
    func settle() {
        // While another thread reads, the log isn't restarted.
        try? reader.writeWithoutTransaction { _ in
            try openWriter().writeWithoutTransaction { database in
                try checkSchema(in: database)
                try database.execute(sql: "PRAGMA wal_checkpoint(FULL)")
                // The next write overwrites the log's start, which invalidates the rest of it.
                try database.execute(sql: "PRAGMA user_version = \(CatalogSchema.currentVersion)")
            }
        }
    }

    /// Returns the room of what was removed to the file system. Without the room for that it is left to the next time.
    func shrink() {
        try? openWriter().writeWithoutTransaction { database in
            try checkSchema(in: database)
            try database.execute(sql: "PRAGMA incremental_vacuum")
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

/// The number of commits to the catalog, by whatever process, in memory that its users share. Valid for as long as the
/// connection that mapped it.
///
/// Thread-safe: it is only read, atomically.
struct CommitCounter: @unchecked Sendable {
    private let memory: UnsafePointer<Atomic<UInt32>>?

    /// - Parameter memory: Where it is; nil when it isn't known.
    init(_ memory: UnsafePointer<Atomic<UInt32>>?) {
        self.memory = memory
    }

    /// Only to be compared with another one; nil when it isn't known.
    var value: UInt32? { memory?.pointee.load(ordering: .acquiring) }
}

/// The number that shows changes to other processes. It has no digest: any number that differs from the one before
/// serves.
extension Catalog {
    /// More than any store reaches. A higher number is damage: it could not increase without end.
    private static let maximumGeneration: Int64 = 1 << 48
    /// Stands for a generation that is damaged or missing; never written.
    private static let damagedGeneration: Int64 = -1

    static func generation(in database: Database) throws -> Int64 {
        try Row.fetchOne(database, sql: "SELECT value FROM generation WHERE only = 1")?
            .integer("value", in: 0...maximumGeneration) ?? damagedGeneration
    }

    /// Counts a change. An invalid number is replaced by a random one: what readers saw before the damage is unknown.
    static func raiseGeneration(in database: Database) throws {
        try database.execute(
            sql: """
                INSERT INTO generation VALUES (1, ?) ON CONFLICT (only) DO UPDATE SET
                value = iif(typeof(value) = 'integer' AND value BETWEEN 0 AND ?, value + 1, excluded.value)
                """,
            arguments: [Int64(UInt32.random(in: .min ... .max)), maximumGeneration - 1]
        )
    }

    func isGenerationDamaged() throws -> Bool { try read(Self.isGenerationDamaged) }

    private static func isGenerationDamaged(in database: Database) throws -> Bool {
        try generation(in: database) == damagedGeneration
            || Int.fetchOne(database, sql: "SELECT count(*) FROM generation") != 1
    }

    /// Replaces a damaged generation. Writes only if it is damaged.
    func repairGeneration() throws -> [RepairReport.Repaired] {
        guard try isGenerationDamaged() else { return [] }
        return try change { database in
            try database.execute(sql: "DELETE FROM generation WHERE only <> 1")
            return [RepairReport.Repaired(repaired: "the number of the catalog's changes")]
        }
    }
}
