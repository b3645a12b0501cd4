import Foundation
import GRDB
import Synchronization
import SystemPackage

/// The local store of bundles: a folder with a catalog, segments, version indexes and a cache.
///
/// Thread-safe. Several processes may use one store at once. Readers never wait and take no lock, so a full disk or a
/// read-only folder doesn't hinder them; writers wait for writers of the same bundle and for pruning. Every change is
/// durable when the call that makes it returns, and no change is ever visible half done.
public final class BundleStore: Sendable {
    /// The store's folder.
    public let path: String

    package let layout: StoreLayout
    let catalog: Catalog
    let cacheLimits: CacheLimits
    package let now: @Sendable () -> Date
    /// The time since a fixed moment, without the machine's standby.
    let elapsed: @Sendable () -> Duration
    let probationTimes = Mutex(ProbationTimes())
    let bodyChecks: CachedBodyChecks
    let stagedBodies = StagedBodies()
    let cacheWriter: CacheWriter
    let mappedBodies = MappedBodies()
    /// What those who look up cached responses share, so that each sees at once what another has stored.
    package let sharedCacheMemory = Mutex<(any AnyObject & Sendable)?>(nil)
    let damageHandler: DamageHandler
    private let damageNotices = DamageNotices()
    private let current: Mutex<StoreSnapshot>

    /// Opens the store in a folder.
    ///
    /// - Parameters:
    ///   - path: The store's folder.
    ///   - creating: Whether to create the store when there is none.
    ///   - cacheLimits: How much of what comes from the network is kept.
    ///   - now: The clock.
    ///   - survivesFaults: Whether the process survives when a mapped file is truncated, or its disk fails, while it is
    ///     read: ``/BundleModel/ByteSlice/hasFaulted`` is then true, and the bytes read are not reliable. Installs a handler for
    ///     SIGBUS, for the whole process and every store opened later; other faults go to the handler that was
    ///     installed before.
    ///   - damageHandler: Called once for each file and cached response whose content is found not to match its digest,
    ///     when it is first read. A damaged content counts as missing: the next layer serves the request.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when there is no store and `creating` is
    ///   false, when the folder can't be made or written, or when a newer program has written it.
    public convenience init(
        at path: String,
        creating: Bool = false,
        cacheLimits: CacheLimits = CacheLimits(),
        now: @escaping @Sendable () -> Date = { Date() },
        survivesFaults: Bool = false,
        damageHandler: @escaping DamageHandler = { _ in }
    ) throws {
        try self.init(
            at: path,
            creating: creating,
            cacheLimits: cacheLimits,
            now: now,
            // What is in standby confirms nothing.
            clock: SuspendingClock(),
            survivesFaults: survivesFaults,
            damageHandler: damageHandler
        )
    }

    /// As above.
    ///
    /// - Parameters:
    ///   - isExamined: Whether it is only looked at: what is missing isn't made, and an earlier format isn't converted.
    ///   - clock: Measures how long releases run that have yet to be confirmed.
    package init(
        at path: String,
        creating: Bool = false,
        isExamined: Bool = false,
        cacheLimits: CacheLimits = CacheLimits(),
        now: @escaping @Sendable () -> Date = { Date() },
        clock: any Clock<Duration>,
        survivesFaults: Bool = false,
        damageHandler: @escaping DamageHandler = { _ in }
    ) throws {
        if survivesFaults { try Self.accessing(path) { try MappedFile.surviveFaults() } }
        self.path = path
        self.cacheLimits = cacheLimits
        self.now = now
        elapsed = clock.stopwatch()
        let damageHandler: DamageHandler = { [damageNotices] damage in
            damageNotices.add(damage)
            damageHandler(damage)
        }
        self.damageHandler = damageHandler
        bodyChecks = CachedBodyChecks(maximumCount: Self.checkedBodyCount)
        let layout = StoreLayout(root: FilePath(path))
        self.layout = layout
        try Self.checkMayOpen(layout, at: path, creating: creating)
        let (catalog, snapshot) = try Self.accessing(path) {
            if !isExamined { try Self.makeFolders(layout, creating: creating) }
            let catalog = try Self.openCatalog(layout, converting: !isExamined)
            if creating { try OrphanFiles(layout: layout, catalog: catalog).removeUnfinishedUnlessBusy() }
            return (
                catalog, try SnapshotLoader.load(catalog, layout, previous: nil, damageHandler: damageHandler)
            )
        }
        self.catalog = catalog
        cacheWriter = CacheWriter(
            catalog,
            layout,
            limits: cacheLimits,
            staged: stagedBodies,
            now: now
        )
        current = Mutex(snapshot)
    }

    /// How many results of comparing bodies with their digests are remembered.
    private static let checkedBodyCount = 10_000

    deinit {
        cacheWriter.drain()
    }

    /// Checks that there is a store, or that one may be made.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable`.
    static func checkMayOpen(_ layout: StoreLayout, at path: String, creating: Bool) throws {
        if creating {
            try accessing(path) { try checkIsFree(layout) }
        } else if try !isThere(layout) {
            let problem = try accessing(path) { try foreignName(in: layout) }.map {
                "\(path) isn't a store, and can't become one, because it has \(Printable.text($0)); name another folder"
            }
            throw BundleError(
                .storeUnavailable,
                problem ?? "there is no store in \(path); install a bundle to make one"
            )
        }
    }

    /// False only when the store doesn't exist; a folder that can't be read throws.
    private static func isThere(_ layout: StoreLayout) throws -> Bool {
        try accessing(layout.root.string) {
            try Durable.exists(layout.catalog) || OrphanFiles.isThereContent(in: layout)
        }
    }

    /// Refuses to make a store among files that aren't a store's, such as in `/etc`: pruning would remove some of them.
    private static func checkIsFree(_ layout: StoreLayout) throws {
        guard let other = try foreignName(in: layout) else { return }
        throw BundleError(
            .storeUnavailable,
            "\(layout.root) is neither empty nor a store: it has \(Printable.text(other)); name an empty folder, or one that "
                + "doesn't exist yet"
        )
    }

    /// A file's name in a folder that isn't a store, and has more than a store's files; nil otherwise.
    private static func foreignName(in layout: StoreLayout) throws -> String? {
        guard try Durable.exists(layout.root), try layout.root.stat().type == .directory,
            try !Durable.exists(layout.catalog)
        else { return nil }
        return try FileManager.default.contentsOfDirectory(atPath: layout.root.string).first { !layout.isOwn(name: $0) }
    }

    /// Creates the missing folders. A read-only store that lacks one is still read.
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

    private static func openCatalog(_ layout: StoreLayout, converting: Bool) throws -> Catalog {
        if let catalog = try Catalog(layout) { return catalog }
        let isThere = (try? Durable.exists(layout.catalog)) == true
        do {
            if !converting { throw isThere ? Errno.readOnlyFileSystem : .noSuchFileOrDirectory }
            try migrateCatalog(layout)
        } catch let error where StorageFailure.forbidsWriting(error) && isThere {
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
        // One process at a time: when two processes turn on the write-ahead log of a new database, SQLite doesn't wait
        // but fails, and both would create its tables.
        let lock = try FileLock(layout.catalogLock, .exclusive, waits: true)
        try withExtendedLifetime(lock) {
            try Catalog.migrate(layout.catalog, mayBeNew: !OrphanFiles.isThereContent(in: layout))
        }
    }

    /// The store's state when it was last opened or refreshed. Cheap; see ``refresh()``.
    public var snapshot: StoreSnapshot { current.withLock { $0 } }

    /// The bundles that a repair may help: those with releases that can't be opened or read as a whole, and those whose
    /// files have been found damaged since the last call. Nil stands for damage that can't be assigned to a bundle.
    package func takeDamagedBundles() -> Set<BundleName?> {
        Set(damageNotices.take()).union(snapshot.damage.filter { !$0.isNewer }.map(\.bundle))
    }

    /// Whether the store has a release of a bundle, even a damaged one.
    package func holds(_ name: BundleName) -> Bool {
        let snapshot = snapshot
        return snapshot.bundles[name] != nil || snapshot.damage.contains { $0.bundle == name }
    }

    /// A bundle of ``snapshot``; without releases when none of them can be opened.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when there is no bundle of this name.
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

    /// Differs from an earlier value when this or another process has changed the catalog since, be it in a way that
    /// ``refresh()`` doesn't concern; nil where that can't be known. Costs nanoseconds, so that each request can ask.
    package var commitCount: UInt32? { catalog.connection.commitCount }

    /// Checks whether another process has changed the store, and if so opens what is new.
    ///
    /// - Returns: Whether ``snapshot`` has changed.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the catalog can't be read or was
    ///   replaced since it was opened; with code `storeDamaged` when it is damaged.
    @discardableResult
    public func refresh() throws -> Bool {
        try Self.accessing(path) {
            let previous = snapshot
            // A catalog that was restored from a copy may have a lower generation.
            let (generation, cache) = try catalog.counters()
            cacheChanges.note(cache)
            guard generation != previous.generation else { return false }
            try load(after: previous)
            return true
        }
    }

    /// Checks whether another program has truncated or changed open files, or the disk can no longer read them. Such
    /// files are opened again, and their contents are compared with their digests on the next read. Takes one or two
    /// microseconds per file.
    ///
    /// - Returns: Whether ``snapshot`` has changed.
    /// - Throws: As ``refresh()``.
    @discardableResult
    package func recheckFiles() throws -> Bool {
        if mappedBodies.takeChange() { cacheChanges.noteRemoval() }
        let previous = snapshot
        guard previous.storedReleases.contains(where: \.hasChanged) else { return false }
        try Self.accessing(path) { try load(after: previous) }
        return true
    }

    /// Reads completely those indexes that haven't been yet: opening a store doesn't do so, and a changed index may
    /// have lost any file.
    ///
    /// - Returns: Whether an index was found damaged and ``snapshot`` has changed.
    /// - Throws: As ``refresh()``.
    @discardableResult
    package func checkIndexes() throws -> Bool {
        let unchecked = snapshot.releases.filter { $0.index.verdict == nil }
        guard !unchecked.allSatisfy({ $0.index.check() }) else { return false }
        return try recheckFiles()
    }

    /// Opens everything again and clears the damage found so far: the contents have been repaired since, or the disk
    /// failed only briefly.
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
        cacheWriter.sweep()
    }

    /// Runs `body` and turns errors of the file system and the database into a ``/BundleModel/BundleError`` that names
    /// the store.
    package static func accessing<Result: ~Copyable>(_ path: String, _ body: () throws -> Result) throws -> Result {
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
            let place = "the store in \(path) can't be read or written"
            if StorageFailure.forbidsReading(error) || StorageFailure.forbidsWriting(error),
                let remedy = FileOwner.remedy(in: StoreLayout(root: FilePath(path)))
            {
                throw BundleError(.storeUnavailable, "\(place): a file in it is another user's", remedy, cause: error)
            }
            throw BundleError(.storeUnavailable, place, failure: error)
        }
    }
}
