import Foundation
import GRDB
import GRDBSQLite
import Synchronization
import SystemPackage

/// How the catalog's database is opened, and what is read of its files beside SQL.
///
/// Its write-ahead log is kept when the last process closes it, with room for further frames, which overwrite the
/// existing bytes: so things can be removed even when the disk is full.
enum CatalogFile {
    /// The initial length of the log in bytes.
    static let logByteCount: Int64 = 1 << 20

    /// The number of pages of 4 KiB after which the log is checkpointed and restarted: every transaction has room for
    /// at least 150, and opening, which reads the log, stays quick.
    private static let checkpointPageCount = 100
    private static let busyTimeout: TimeInterval = 10
    /// The first bytes of every SQLite database.
    private static let header = Array("SQLite format 3\0".utf8)

    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when it can't be opened and the reason is
    ///   known; otherwise `DatabaseError` or `Errno`.
    static func openForReading(_ path: FilePath) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.readonly = true
        // A read-only connection can't break references.
        configuration.foreignKeysEnabled = false
        configuration.busyMode = .timeout(busyTimeout)
        do {
            return try open(path, query: nil, configuration)
        } catch let error where isUnwritable(error) {
            // SQLite writes to the shared-memory file even for reading.
            if let queue = try? open(path, query: "readonly_shm=1", configuration) { return queue }
            let obstacle = CatalogObstacle(path)
            if try obstacle.isDatabaseAlone(error), let queue = try? open(path, query: "immutable=1", configuration) {
                return queue
            }
            try obstacle.explain(error)
        }
    }

    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when it can't be opened and the reason is
    ///   known; `DatabaseError` or `Errno` when it can't be opened or written.
    static func openForWriting(_ path: FilePath) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(busyTimeout)
        configuration.prepareDatabase { database in
            // FULL syncs the log at each commit: a commit that was reported survives a power failure.
            try database.execute(
                sql: """
                    PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON;
                    PRAGMA checkpoint_fullfsync = ON; PRAGMA wal_autocheckpoint = \(checkpointPageCount);
                    """
            )
            var isPersistent: Int32 = 1
            sqlite3_file_control(database.sqliteConnection, nil, SQLITE_FCNTL_PERSIST_WAL, &isPersistent)
        }
        let queue: DatabaseQueue
        do {
            queue = try open(path, query: nil, configuration)
        } catch let error where isUnwritable(error) {
            try CatalogObstacle(path).explain(error)
        }
        try queue.writeWithoutTransaction { database in
            // A process that opens the log doesn't know how much of it is already in the database. Unless the log is
            // restarted here, it would grow with every process that makes one change.
            try? database.execute(sql: "PRAGMA wal_checkpoint(PASSIVE)")
            try reserveLog(of: path, in: database)
        }
        return queue
    }

    /// Runs `body`; if SQLite's error hides one of the system, throws the latter.
    static func tellingSystemErrors<Result>(of database: Database, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as DatabaseError {
            if error.resultCode == .SQLITE_FULL { throw Errno.noSpace }
            let hidesError = [.SQLITE_IOERR, .SQLITE_CANTOPEN].contains(error.resultCode.primaryResultCode)
            let number = hidesError ? sqlite3_system_errno(database.sqliteConnection) : 0
            throw number == 0 ? error : Errno(rawValue: number)
        }
    }

    /// Checks whether the file itself, bypassing SQLite's memory, still begins as a database.
    ///
    /// - Throws: `DatabaseError` when it doesn't or can't be read.
    static func checkHeader(of database: Database) throws {
        var file: UnsafeMutablePointer<sqlite3_file>?
        sqlite3_file_control(database.sqliteConnection, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        // A descriptor opened beside SQLite won't do: closing it would release SQLite's locks.
        guard let read = file?.pointee.pMethods?.pointee.xRead else { return }
        var start = [UInt8](repeating: 0, count: header.count)
        let code = ResultCode(rawValue: read(file, &start, Int32(start.count), 0))
        if code != .SQLITE_OK, code != .SQLITE_IOERR_SHORT_READ { throw DatabaseError(resultCode: code) }
        if start != header { throw DatabaseError(resultCode: .SQLITE_NOTADB, message: "file is not a database") }
    }

    /// The counter in the log's shared index that each commit of any process raises (“WAL-Index Format”, iChange), for as
    /// long as the connection is open. Nil for a database that is read without the index. It is only to be compared.
    static func commitCounter(of database: Database) throws -> UnsafePointer<Atomic<UInt32>>? {
        let connection = database.sqliteConnection
        // The index of an immutable database would be made here.
        guard sqlite3_uri_boolean(sqlite3_db_filename(connection, "main"), "immutable", 0) == 0,
            try String.fetchOne(database, sql: "PRAGMA journal_mode") == "wal"
        else { return nil }
        var file: UnsafeMutablePointer<sqlite3_file>?
        sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        // SQLite's own mapping: one beside it would need a descriptor, and closing that releases SQLite's locks.
        guard let methods = file?.pointee.pMethods, methods.pointee.iVersion >= 2, let map = methods.pointee.xShmMap
        else { return nil }
        var index: UnsafeMutableRawPointer?
        let code = map(file, 0, indexRegionByteCount, 0, &index)
        guard code == SQLITE_OK || code == SQLITE_READONLY, let index else { return nil }
        return UnsafePointer((index + commitCounterOffset).assumingMemoryBound(to: Atomic<UInt32>.self))
    }

    /// The size of the index's regions, which SQLite maps one by one.
    private static let indexRegionByteCount: Int32 = 32 << 10
    private static let commitCounterOffset = 8

    /// - Parameter query: The query of the URI, or nil to open the plain path.
    private static func open(
        _ path: FilePath,
        query: String?,
        _ configuration: Configuration
    ) throws -> DatabaseQueue {
        // SQLite takes a path that begins with “file:” for a URI.
        let absolute = path.isAbsolute ? path.string : "\(FileManager.default.currentDirectoryPath)/\(path)"
        let allowed = CharacterSet.urlPathAllowed
        let uri = query.map {
            "file:\(absolute.addingPercentEncoding(withAllowedCharacters: allowed) ?? absolute)?\($0)"
        }
        return try DatabaseQueue(path: uri ?? absolute, configuration: configuration)
    }

    private static func isUnwritable(_ error: any Error) -> Bool {
        guard let code = (error as? DatabaseError)?.resultCode else { return false }
        return [.SQLITE_CANTOPEN, .SQLITE_IOERR, .SQLITE_READONLY, .SQLITE_FULL, .SQLITE_PERM].contains(code)
    }

    /// Extends the log with zeros, which aren't frames. If there is no room for that, everything works as long as the
    /// disk isn't full.
    private static func reserveLog(of path: FilePath, in database: Database) throws {
        let log = FilePath(path.string + "-wal")
        guard case let size = Int64(try log.stat().size), size < logByteCount else { return }
        // The write lock keeps other processes from appending to the log meanwhile.
        try database.inTransaction(.immediate) {
            try? appendZeros(to: log)
            return .commit
        }
    }

    private static func appendZeros(to log: FilePath) throws {
        let file = try FileDescriptor.open(log, .writeOnly, options: .closeOnExec)
        try file.closeAfter {
            let size = Int64(try file.stat().size)
            guard size < logByteCount else { return }
            let zeros = [UInt8](repeating: 0, count: Int(logByteCount - size))
            try file.writeAll(toAbsoluteOffset: size, zeros)
            try Durable.sync(file)
        }
    }
}

/// Why SQLite can't open the catalog: it reports only “unable to open” or “input/output error” where the system gives
/// the exact reason.
struct CatalogObstacle {
    private let database: FilePath
    private let log: FilePath
    private let sharedMemory: FilePath

    init(_ database: FilePath) {
        self.database = database
        log = FilePath(database.string + "-wal")
        sharedMemory = FilePath(database.string + "-shm")
    }

    /// Examines the database and its companion files after SQLite has failed.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` that names the file in the way and what to
    ///   do; `cause` when no such file is found.
    func explain(_ cause: any Error) throws -> Never {
        try checkThatFilesOpen(cause)
        if try !Durable.exists(sharedMemory), try !WriteAheadLog(of: database).isInDatabase() {
            throw BundleError(
                .storeUnavailable,
                "\(sharedMemory) is missing and can't be made, and without it the changes in the log beside it can't be "
                    + "read; copy it too, or list the store once where it may be written",
                cause: cause
            )
        }
        throw cause
    }

    /// Whether all data is in the database and no process is writing: without shared memory no process can write, and
    /// the log has no frames of its own.
    ///
    /// - Throws: As ``explain(_:)`` when a file is in the way; `Errno`.
    func isDatabaseAlone(_ cause: any Error) throws -> Bool {
        try checkThatFilesOpen(cause)
        return try !Durable.exists(sharedMemory) && WriteAheadLog(of: database).isInDatabase()
    }

    /// Opens all of them at once, as SQLite does: there may be too few descriptors for that.
    private func checkThatFilesOpen(_ cause: any Error) throws {
        var descriptors: [FileDescriptor] = []
        defer { for descriptor in descriptors { try? descriptor.close() } }
        for file in [database, log, sharedMemory] {
            do {
                let file = try Durable.exists(file) ? file : database
                let descriptor = try FileDescriptor.open(file, .readOnly, options: [.closeOnExec, .nonBlocking])
                descriptors.append(descriptor)
                if try descriptor.stat().type != .regular { throw Errno.isDirectory }
            } catch Errno.noSuchFileOrDirectory {
                continue
            } catch {
                if StorageFailure.forbidsReading(error),
                    let remedy = FileOwner.remedy(for: file, in: StoreLayout(root: database.folder))
                {
                    throw BundleError(.storeUnavailable, "\(file) is another user's", remedy, cause: cause)
                }
                guard error as? Errno == .isDirectory else {
                    let (problem, remedy) = StorageFailure.explanation(of: error)
                    throw BundleError(.storeUnavailable, "\(file) can't be opened: \(problem)", remedy, cause: cause)
                }
                throw BundleError(
                    .storeUnavailable,
                    "\(file) is a folder or a device where a file of the catalog should be; move it away, and restore the "
                        + "catalog from a copy or install the bundles again",
                    cause: cause
                )
            }
        }
    }
}
