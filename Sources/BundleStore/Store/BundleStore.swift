import Foundation
import GRDB
import Synchronization
import SystemPackage

/// The local store of bundles: a folder with a catalog, segments, version indexes and a cache.
///
/// Thread-safe. Several processes may use one store at once: readers never wait and lock nothing, so that a full disk or a
/// folder that may only be read is no hindrance; writers wait for those of the same bundle and for a pruning. Every change is durable
/// when the call that makes it returns, and none is ever seen half done.
public final class BundleStore: Sendable {
    /// The store's folder.
    public let path: String

    let layout: StoreLayout
    let catalog: Catalog
    let cacheLimits: CacheLimits
    let now: @Sendable () -> Date
    let bodyChecks: CachedBodyChecks
    let stagedBodies = StagedBodies()
    let damageHandler: DamageHandler
    private let damageNotices = DamageNotices()
    private let current: Mutex<StoreSnapshot>

    /// Opens the store in a folder.
    ///
    /// - Parameters:
    ///   - path: The store's folder.
    ///   - creating: Whether to make the store when there is none.
    ///   - cacheLimits: How much is kept of what comes from the network.
    ///   - now: The clock.
    ///   - survivesFaults: Whether the process goes on when a mapped file is truncated, or its disk fails, while it is
    ///     read: ``ByteSlice/hasFaulted`` is true then, and what was read can't be relied upon. Installs a handler for
    ///     SIGBUS, for the whole process and every store that is opened later; other faults go to the handler that was
    ///     installed before.
    ///   - damageHandler: Told of each file and each kept response whose content turns out not to be what it was, once, when it
    ///     is first read. It is as good as missing: the next layer answers.
    /// - Throws: ``BundleError`` with code `storeUnavailable` when there is no store and `creating` is false, when the
    ///   folder can't be made or written, or when a newer program has written it.
    public init(
        at path: String,
        creating: Bool = false,
        cacheLimits: CacheLimits = CacheLimits(),
        now: @escaping @Sendable () -> Date = { Date() },
        survivesFaults: Bool = false,
        damageHandler: @escaping DamageHandler = { _ in }
    ) throws {
        if survivesFaults { try Self.accessing(path) { try MappedFile.surviveFaults() } }
        self.path = path
        self.cacheLimits = cacheLimits
        self.now = now
        let damageHandler: DamageHandler = { [damageNotices] damage in
            damageNotices.add(damage)
            damageHandler(damage)
        }
        self.damageHandler = damageHandler
        bodyChecks = CachedBodyChecks(maximumCount: max(cacheLimits.maximumCount, 1_000))
        let layout = StoreLayout(root: FilePath(path))
        self.layout = layout
        guard try creating || Self.isThere(layout) else {
            throw BundleError(.storeUnavailable, "there is no store in \(path); install a bundle to make one")
        }
        let (catalog, snapshot) = try Self.accessing(path) {
            try Self.makeFolders(layout, creating: creating)
            let catalog = try Self.openCatalog(layout)
            if creating { try OrphanFiles(layout: layout, catalog: catalog).removeUnfinishedUnlessBusy() }
            return (
                catalog, try SnapshotLoader.load(catalog, layout, previous: nil, damageHandler: damageHandler)
            )
        }
        self.catalog = catalog
        current = Mutex(snapshot)
    }

    /// False only when there is nothing; a folder that can't be looked into is another matter.
    private static func isThere(_ layout: StoreLayout) throws -> Bool {
        try accessing(layout.root.string) {
            try Durable.exists(layout.catalog) || OrphanFiles.isThereContent(in: layout)
        }
    }

    /// Makes the folders that are missing. What lacks one and may only be read is read all the same.
    private static func makeFolders(_ layout: StoreLayout, creating: Bool) throws {
        let isRootMissing = try isMissing(layout.root)
        let missing = try layout.folders.filter { try !StoreFolder.exists($0) }
        _ = try StoreFolder.exists(layout.variants)
        for suffix in ["", "-wal", "-shm"] {
            try StoreFolder.checkIsNoLink(FilePath(layout.catalog.string + suffix))
        }
        do {
            if isRootMissing { try Durable.makeFolder(layout.root) }
            try Durable.makeFolders(missing, in: layout.root)
        } catch {
            if creating { throw error }
        }
    }

    private static func isMissing(_ root: FilePath) throws -> Bool {
        guard try Durable.exists(root) else { return true }
        guard try root.stat().type == .directory else {
            throw BundleError(.storeUnavailable, "\(root) is not a folder; move it away")
        }
        return false
    }

    private static func openCatalog(_ layout: StoreLayout) throws -> Catalog {
        if let catalog = try Catalog(layout) { return catalog }
        do {
            try migrateCatalog(layout)
        } catch let error where StorageFailure.forbidsWriting(error) && (try? Durable.exists(layout.catalog)) == true {
            throw BundleError(
                .storeUnavailable,
                "the store in \(layout.root) was written by an earlier program",
                .openAsOwner,
                cause: error
            )
        }
        guard let catalog = try Catalog(layout) else {
            throw BundleError(.storeUnavailable, "\(layout.catalog) can't be made; check the folder")
        }
        return catalog
    }

    private static func migrateCatalog(_ layout: StoreLayout) throws {
        // One process at a time: SQLite doesn't wait, but fails, when two turn on the write-ahead log of a new database,
        // and both would make its tables.
        let lock = try FileLock(layout.catalogLock, .exclusive, waits: true)
        try withExtendedLifetime(lock) {
            try Catalog.migrate(layout.catalog, mayBeNew: !OrphanFiles.isThereContent(in: layout))
        }
    }

    /// What the store holds, as far as this process has looked. Cheap; see ``refresh()``.
    public var snapshot: StoreSnapshot { current.withLock { $0 } }

    /// The bundles that a repair may help: those with releases that can't be opened or read as a whole, and those of
    /// which files have turned out damaged since this was last called.
    /// Nil stands for damage that doesn't tell its bundle.
    public func takeDamagedBundles() -> Set<BundleName?> {
        Set(damageNotices.take()).union(snapshot.damage.filter { !$0.isNewer }.map(\.bundle))
    }

    /// Whether there is anything of a bundle, be it damaged.
    public func holds(_ name: BundleName) -> Bool {
        let snapshot = snapshot
        return snapshot.bundles[name] != nil || snapshot.damage.contains { $0.bundle == name }
    }

    /// A bundle of ``snapshot``; without releases when none of them can be opened.
    ///
    /// - Throws: ``BundleError`` with code `invalidArgument` when there is none of this name.
    public func bundle(_ name: BundleName) throws(BundleError) -> InstalledBundle {
        let snapshot = snapshot
        if let bundle = snapshot.bundles[name] { return bundle }
        if snapshot.damage.contains(where: { $0.bundle == name }) { return InstalledBundle(name, []) }
        let names = snapshot.bundles.keys.sorted().map(\.string).joined(separator: ", ")
        throw BundleError(
            .invalidArgument,
            "there is no bundle \(name) in \(path); installed: \(names.isEmpty ? "none" : names)"
        )
    }

    /// Looks whether another process has changed the store, and if so opens what is new.
    ///
    /// - Returns: Whether ``snapshot`` is another one now.
    /// - Throws: ``BundleError`` with code `storeUnavailable` when the catalog can't be read, or isn't the one that was opened
    ///   any more; with code `storeDamaged` when it is damaged.
    @discardableResult
    public func refresh() throws -> Bool {
        try Self.accessing(path) {
            let previous = snapshot
            // A catalog that was restored from a copy may count from less.
            guard try catalog.generation() != previous.generation else { return false }
            try load(after: previous)
            return true
        }
    }

    /// Checks whether another program has truncated or changed files that are open, or the disk can no longer read them.
    /// Such files are opened again, and their contents are compared with their digests when they are next read. Takes a
    /// microsecond or two for each file.
    ///
    /// - Returns: Whether ``snapshot`` is another one now.
    /// - Throws: As ``refresh()``.
    @discardableResult
    public func recheckFiles() throws -> Bool {
        let previous = snapshot
        guard previous.storedReleases.contains(where: \.hasChanged) else { return false }
        try Self.accessing(path) { try load(after: previous) }
        return true
    }

    /// Reads those indexes completely that haven't been yet: opening a store doesn't, and an index that has changed may
    /// have lost any file.
    ///
    /// - Returns: Whether one was found damaged, so that ``snapshot`` is another one now.
    /// - Throws: As ``refresh()``.
    @discardableResult
    public func checkIndexes() throws -> Bool {
        let unchecked = snapshot.releases.filter { $0.index.verdict == nil }
        guard !unchecked.allSatisfy({ $0.index.check() }) else { return false }
        return try recheckFiles()
    }

    /// Opens everything again, and forgets which contents were found damaged: they have been repaired since, or the disk had
    /// failed for a moment.
    ///
    /// - Throws: As ``refresh()``.
    func reopen() throws {
        let previous = snapshot
        let loaded = try SnapshotLoader.load(catalog, layout, previous: nil, damageHandler: damageHandler)
        replace(previous, with: loaded)
    }

    private func load(after previous: StoreSnapshot) throws {
        let loaded = try SnapshotLoader.load(
            catalog,
            layout,
            previous: previous,
            damageHandler: damageHandler
        )
        replace(previous, with: loaded)
    }

    private func replace(_ previous: StoreSnapshot, with loaded: StoreSnapshot) {
        current.withLock { snapshot in
            // Another thread may have loaded a later one meanwhile.
            let isLatest = snapshot.generation == previous.generation || snapshot.generation < loaded.generation
            if isLatest { snapshot = loaded }
        }
    }

    /// Runs `body` and turns what the file system and the database throw into a ``BundleError`` that names the store.
    static func accessing<Result: ~Copyable>(_ path: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error where error is BundleError || error is CancellationError {
            throw error
        } catch let error as DatabaseError where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode) {
            throw BundleError(
                .storeDamaged,
                "the catalog of the store in \(path) is damaged (\(error.message ?? "no database")); restore it from a copy, "
                    + "or move the folder away and install the bundles again",
                cause: error
            )
        } catch {
            throw BundleError(.storeUnavailable, "the store in \(path) can't be read or written", failure: error)
        }
    }
}
