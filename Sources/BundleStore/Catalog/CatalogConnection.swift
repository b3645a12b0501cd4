import GRDB
import Synchronization
import SystemPackage

/// The connection to the SQLite database of the catalog.
///
/// It is read through one connection of SQLite that can't write, and written through another that the first change opens. So
/// reading doesn't wait for a writer and needs no write permission.
///
/// Thread-safe: each connection of SQLite does one thing at a time, and reads run beside writes (write-ahead log).
final class CatalogConnection: Sendable {
    let layout: StoreLayout
    private let identity: MappedFile.Identity
    private let reader: DatabaseQueue
    private let commitCounter: CommitCounter
    private let writer = Mutex<DatabaseQueue?>(nil)
    private let isSuspended = Atomic(false)
    /// The handler that is notified of the events that this process records; see ``BundleStore/setEventHandler(_:)``.
    let eventHandler = Mutex<(@Sendable (UpdateEvent) -> Void)?>(nil)

    /// Opens the database for reading.
    ///
    /// - Returns: Nil when the database doesn't exist, or its tables have to be created or migrated; see
    ///   ``Catalog/migrate(_:mayBeNew:)``.
    /// - Throws: `DatabaseError` or `Errno` when SQLite can't open it; ``/BundleModel/BundleError`` with code
    ///   `storeUnavailable` when a newer program has changed its schema.
    init?(_ layout: StoreLayout) throws {
        let path = layout.catalog
        guard try Durable.exists(path) else { return nil }
        identity = try MappedFile.Identity(path.stat())
        let reader = try CatalogFile.openForReading(path)
        guard try reader.read({ try CatalogSchema.isCurrent($0, at: path) }) else { return nil }
        self.layout = layout
        self.reader = reader
        commitCounter = try reader.read { CommitCounter(try CatalogFile.commitCounter(of: $0)) }
    }

    /// Runs `body` in a read transaction.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when its path no longer leads to the
    ///   database that was opened.
    func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try checkIdentity()
        return try reader.read { database in
            try CatalogFile.tellingSystemErrors(of: database) { try body(database) }
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
    /// - Parameter awaitsDisk: False for what a power failure may undo, until the next transaction that waits.
    /// - Throws: As ``read(_:)``.
    func write<Result>(awaitingDisk awaitsDisk: Bool = true, _ body: (Database) throws -> Result) throws -> Result {
        try checkIdentity()
        return try writing { database in
            // Without FULL, the log isn't synced at each commit.
            if !awaitsDisk { try database.execute(sql: "PRAGMA synchronous = NORMAL") }
            defer { if !awaitsDisk { try? database.execute(sql: "PRAGMA synchronous = FULL") } }
            var result: Result?
            var events: [UpdateEvent] = []
            let handler = eventHandler.withLock(\.self)
            try CatalogFile.tellingSystemErrors(of: database) {
                try database.inTransaction(.immediate) {
                    try checkSchema(in: database)
                    let last = try handler.map { _ in try HistoryTable.lastNumber(in: database) }
                    result = try body(database)
                    if let last { events = try HistoryTable.events(of: nil, after: last, in: database) }
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

    /// Runs `changes` in one transaction that also raises the generation.
    func change<Result>(_ changes: (Database) throws -> Result) throws -> Result {
        try write { database in
            let result = try changes(database)
            try CatalogGeneration.raise(in: database)
            return result
        }
    }

    /// Checkpoints the whole log and restarts it, so that damage to the log can't undo what was committed. Without the
    /// room for that, or while a reader uses an earlier state, it is left to the next time: removing a file must not
    /// depend on it.
    func settle() {
        // While another thread reads, the log isn't restarted.
        try? reader.writeWithoutTransaction { _ in
            try writing { database in
                try checkSchema(in: database)
                try database.execute(sql: "PRAGMA wal_checkpoint(FULL)")
                // The next write overwrites the log's start, which invalidates the rest of it.
                try database.execute(sql: "PRAGMA user_version = \(CatalogSchema.currentVersion)")
            }
        }
    }

    /// Returns the room of what was removed to the file system. Without the room for that it is left to the next time.
    func shrink() {
        try? writing { database in
            try checkSchema(in: database)
            try database.execute(sql: "PRAGMA incremental_vacuum")
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

    /// Has writes fail until ``resumeWriting()``. One that is under way goes on, see ``waitForWrite()``.
    func suspendWriting() {
        isSuspended.store(true, ordering: .sequentiallyConsistent)
    }

    /// Waits for a write that is under way. After that, nothing holds a lock of the database while writing is suspended.
    func waitForWrite() {
        writer.withLock { $0 }?.writeWithoutTransaction { _ in }
    }

    func resumeWriting() {
        isSuspended.store(false, ordering: .sequentiallyConsistent)
    }

    /// Runs `body` with the connection that can write.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` while writing is suspended.
    private func writing<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try checkSuspension()
        return try openWriter().writeWithoutTransaction { database in
            // It may have waited for another write.
            try checkSuspension()
            return try body(database)
        }
    }

    private func checkSuspension() throws {
        guard isSuspended.load(ordering: .sequentiallyConsistent) else { return }
        throw Self.suspension(of: layout)
    }

    /// What is thrown while writing is suspended.
    static func suspension(of layout: StoreLayout) -> BundleError {
        BundleError(
            .storeUnavailable,
            "the store in \(layout.root) isn't written while its app is suspended; resume the client first"
        )
    }

    private func openWriter() throws -> DatabaseQueue {
        try writer.withLock { writer in
            if let writer { return writer }
            let opened = try CatalogFile.openForWriting(layout.catalog)
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
