import Foundation
import GRDB
import SystemPackage

/// The SQLite database that records which bundles and versions exist and which version is active. Off the hot path. Each group of
/// tables has a type of its own; this one has what concerns several of them.
///
/// Thread-safe, as ``CatalogConnection`` is.
struct Catalog: Sendable {
    let connection: CatalogConnection
    let storage: StorageTables

    var releases: ReleaseTables { ReleaseTables(connection: connection, storage: storage) }
    var lifecycles: LifecycleTables { LifecycleTables(connection: connection) }
    var publishers: PublisherTable { PublisherTable(connection: connection) }
    var updateStates: UpdateStateTables { UpdateStateTables(connection: connection) }
    var feeds: FeedTables { FeedTables(connection: connection) }
    var trust: TrustTables { TrustTables(connection: connection) }
    var figures: FiguresTables { FiguresTables(connection: connection) }
    var history: HistoryTable { HistoryTable(connection: connection) }
    var installation: InstallationTable { InstallationTable(connection: connection) }
    var network: NetworkTables { NetworkTables(connection: connection) }
    var statistics: StatisticsTables { StatisticsTables(connection: connection) }
    var repair: CatalogRepair { CatalogRepair(connection: connection) }

    /// Opens the database for reading.
    ///
    /// - Returns: Nil when the database doesn't exist, or its tables have to be created or migrated; see
    ///   ``migrate(_:mayBeNew:)``.
    /// - Throws: As ``CatalogConnection/init(_:)``.
    init?(_ layout: StoreLayout) throws {
        guard let connection = try CatalogConnection(layout) else { return nil }
        self.connection = connection
        storage = StorageTables(connection)
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
            guard isThere, try !CatalogFile.openForReading(path).read(migrator.appliedMigrations).isEmpty else {
                throw BundleError(
                    .storeDamaged,
                    "\(path) is missing or empty, though there is content beside it; restore it from a copy, or move the "
                        + "folder away and install the bundles again"
                )
            }
        }
        // SQLite gives the files beside a database its owner and mode.
        try FileOwner.makeEmptyFile(path, permissions: [.ownerReadWrite, .groupRead, .otherRead])
        let queue = try CatalogFile.openForWriting(path)
        try migrator.migrate(queue)
        try queue.writeWithoutTransaction { database in
            guard try Int.fetchOne(database, sql: "PRAGMA auto_vacuum") == 0 else { return }
            // A database that wasn't made so can return room only after it was rewritten.
            try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL; VACUUM")
        }
        // If only the number in the header was damaged, nothing has to be migrated and nothing else is wrong.
        try queue.write { try $0.execute(sql: "PRAGMA user_version = \(CatalogSchema.currentVersion)") }
    }

    /// Counts changes that readers must see: installs, activations, removals. A process that finds it changed reads the
    /// catalog again. Less than 0 while it is damaged.
    func generation() throws -> Int64 { try readFile(CatalogGeneration.value) }

    func isGenerationDamaged() throws -> Bool { try connection.read(CatalogGeneration.isDamaged) }

    /// Runs `body` in a read transaction, after a look at the file itself.
    func readFile<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try connection.read { database in
            // This process can read the open file on, but the next process can't.
            guard FileManager.default.isReadableFile(atPath: connection.layout.catalog.string) else {
                throw Errno.permissionDenied
            }
            // The rest may come from memory or from the log.
            try CatalogFile.checkHeader(of: database)
            return try body(database)
        }
    }

    /// The result of reading ``contents()`` in one transaction.
    struct Contents {
        let generation: Int64
        /// Latest activated first.
        let releases: [ReleaseRecord]
        /// The rows that can't be read; the others aren't affected.
        let damage: [StoreDamage]
        let publishers: [BundleName: PublisherRecord]
        let lifecycles: [BundleName: BundleLifecycle]
    }

    /// Every release, and the generation that was read with them.
    func contents() throws -> Contents {
        try connection.read { database in
            let rows = try InstalledRows(in: database)
            return Contents(
                generation: try CatalogGeneration.value(in: database),
                releases: rows.releases,
                damage: rows.damage,
                publishers: try PublisherTable.records(in: database),
                lifecycles: try LifecycleTables.lifecycles(in: database)
            )
        }
    }

    /// Every file that the catalog refers to. A value that isn't a file name refers to none.
    func referencedFiles() throws -> ReferencedFiles {
        try connection.read { database in
            func identifiers(_ sql: String) throws -> Set<FileIdentifier> {
                let names = try DatabaseValue.fetchAll(database, sql: sql).compactMap(String.fromDatabaseValue)
                return Set(names.compactMap { FileIdentifier(name: $0) })
            }
            return ReferencedFiles(
                segments: try identifiers("SELECT segment FROM releaseSegment"),
                indexes: try identifiers("SELECT indexFile FROM release"),
                bodies: try identifiers("SELECT file FROM cachedBody WHERE file IS NOT NULL")
            )
        }
    }
}

/// The files that the store needs.
struct ReferencedFiles: Sendable {
    var segments: Set<FileIdentifier>
    var indexes: Set<FileIdentifier>
    var bodies: Set<FileIdentifier>
}
