import GRDB
import SystemPackage

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
