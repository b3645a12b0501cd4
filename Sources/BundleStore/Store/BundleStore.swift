import Foundation
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
    package let now: @Sendable () -> Date
    /// It is later than this, also where ``now`` says otherwise.
    package let earliestDate: Date
    /// The time since a fixed moment, without the machine's standby.
    let elapsed: @Sendable () -> Duration
    let probationTimes = Mutex(ProbationTimes())
    let cache: CacheStorage
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
    ///   - now: The clock; nil for the machine's, which signatures on feeds only count from the release of this package on.
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
        now: (@Sendable () -> Date)? = nil,
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
        now: (@Sendable () -> Date)? = nil,
        clock: any Clock<Duration>,
        survivesFaults: Bool = false,
        damageHandler: @escaping DamageHandler = { _ in }
    ) throws {
        if survivesFaults { try StoreAccess.run(at: path) { try MappedFile.surviveFaults() } }
        self.path = path
        let time = now ?? { Date() }
        self.now = time
        earliestDate = now == nil ? ProductVersion.releaseDate : .distantPast
        elapsed = clock.stopwatch()
        let damageHandler: DamageHandler = { [damageNotices] damage in
            damageNotices.add(damage)
            damageHandler(damage)
        }
        self.damageHandler = damageHandler
        let layout = StoreLayout(root: FilePath(path))
        self.layout = layout
        let opening = StoreOpening(layout: layout, path: path, creating: creating)
        try opening.check()
        let (catalog, snapshot) = try StoreAccess.run(at: path) {
            if !isExamined { try opening.makeFolders() }
            let catalog = try opening.openCatalog(converting: !isExamined)
            if creating { try OrphanFiles(layout: layout, catalog: catalog).removeUnfinishedUnlessBusy() }
            return (
                catalog, try SnapshotLoader.load(catalog, layout, previous: nil, damageHandler: damageHandler)
            )
        }
        self.catalog = catalog
        cache = CacheStorage(
            catalog,
            layout,
            at: path,
            limits: cacheLimits,
            now: time,
            damageHandler: damageHandler
        )
        current = Mutex(snapshot)
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
    /// - Throws: ``/BundleModel/BundleError`` with code `notFound` when there is no bundle of this name.
    public func bundle(_ name: BundleName) throws(BundleError) -> InstalledBundle {
        let snapshot = snapshot
        if let bundle = snapshot.bundles[name] { return bundle }
        if snapshot.damage.contains(where: { $0.bundle == name }) { return InstalledBundle(name, []) }
        let names = snapshot.bundles.keys.sorted().map(\.string).joined(separator: ", ")
        throw BundleError(
            .notFound,
            "there is no bundle \(name) in \(path); installed: \(names.isEmpty ? "none" : names)"
        )
    }

    /// Differs from an earlier value when this or another process has changed the catalog since, be it in a way that
    /// ``refresh()`` doesn't concern; nil where that can't be known. Costs nanoseconds, so that each request can ask.
    package var commitCount: UInt32? { catalog.connection.commitCount }

    /// Has changes of the catalog fail until ``resumeWriting()``, with ``/BundleModel/BundleError`` and code `storeUnavailable`.
    package func suspendWriting() {
        catalog.connection.suspendWriting()
        cache.bodyLocks.suspend()
    }

    /// Waits for a change of the catalog that is under way. After that, the store holds no lock while writing is suspended, unless an
    /// operation on it is under way. Responses that are half received aren't stored.
    package func waitForWrite() {
        catalog.connection.waitForWrite()
        cache.releaseLocks()
    }

    /// Ends ``suspendWriting()``.
    package func resumeWriting() {
        cache.bodyLocks.resume()
        catalog.connection.resumeWriting()
    }

    /// Checks whether another process has changed the store, and if so opens what is new.
    ///
    /// - Returns: Whether ``snapshot`` has changed.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the catalog can't be read or was
    ///   replaced since it was opened; with code `storeDamaged` when it is damaged.
    @discardableResult
    public func refresh() throws -> Bool {
        try StoreAccess.run(at: path) {
            let previous = snapshot
            // A catalog that was restored from a copy may have a lower generation.
            let (generation, cache) = try catalog.counters()
            self.cache.changes.note(cache)
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
        cache.recheckFiles()
        let previous = snapshot
        guard previous.storedReleases.contains(where: \.hasChanged) else { return false }
        try StoreAccess.run(at: path) { try load(after: previous) }
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
        cache.writer.sweep()
    }
}

/// Collects the bundles in which readers have found damaged files, until they are taken. Thread-safe.
private final class DamageNotices: Sendable {
    private let names = Mutex<Set<BundleName>>([])

    func add(_ damage: StoreDamage) {
        // A damaged response from the network is dropped at once and needs no repair.
        guard let name = damage.bundle, damage.path != nil, !damage.isNewer else { return }
        names.withLock { _ = $0.insert(name) }
    }

    func take() -> Set<BundleName> {
        names.withLock { names in
            defer { names = [] }
            return names
        }
    }
}
