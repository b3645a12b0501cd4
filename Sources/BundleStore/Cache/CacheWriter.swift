import Dispatch
import Foundation
import Synchronization

/// Writes what is cached behind the look-ups: many changes in one transaction, in their order, on one thread.
///
/// Thread-safe.
final class CacheWriter: Sendable {
    /// The most bytes that wait to be written. What exceeds them isn't kept: nobody waits for a slow disk.
    static let maximumByteCount = 16 << 20
    /// How many outdated responses one transaction removes: others can write between two.
    private static let sweptCount = 1_000
    /// About how many bytes one transaction writes.
    private static let transactionByteCount = 2 << 20
    private static let transactionChangeCount = 2_000
    /// How long changes are collected.
    private static let delay: DispatchTimeInterval = .milliseconds(50)
    /// What a change counts besides its bytes.
    private static let overheadByteCount = 512

    private struct State {
        var changes: [(change: CacheChange, byteCount: Int)] = []
        var byteCount = 0
        var isScheduled = false
        /// Whether responses under versions that aren't active may be left.
        var mustSweep = false
        /// Whether that was looked for in this process, which another one may have begun and not finished.
        var hasSwept = false
    }

    private let catalog: Catalog
    private let layout: StoreLayout
    private let limits: CacheLimits
    private let staged: StagedBodies
    private let now: @Sendable () -> Date
    private let state = Mutex(State())
    private let takenCount = Atomic(0)
    private let writtenCount = Atomic(0)
    let use = CacheUse()
    let changes = CacheChanges()
    /// Removes the files of bodies that aren't kept, too. A serial queue has a thread while there is something to do.
    let queue = DispatchQueue(label: "offline-bundles.cache-writer")

    init(
        _ catalog: Catalog,
        _ layout: StoreLayout,
        limits: CacheLimits,
        staged: StagedBodies,
        now: @escaping @Sendable () -> Date
    ) {
        self.catalog = catalog
        self.layout = layout
        self.limits = limits
        self.staged = staged
        self.now = now
    }

    /// The number of changes that were taken.
    var taken: Int { takenCount.load(ordering: .acquiring) }

    /// The number of changes that are in the catalog or were given up.
    var written: Int { writtenCount.load(ordering: .acquiring) }

    /// Takes a change, to be written soon.
    ///
    /// - Returns: False when too much waits already; the change is then given up. A removal is always taken.
    func add(_ change: CacheChange) -> Bool {
        let byteCount = change.byteCount + Self.overheadByteCount
        let (isTaken, isFirst) = state.withLock { state in
            let hasRoom = state.byteCount + byteCount <= Self.maximumByteCount
            guard hasRoom || change.isRemoval else { return (false, false) }
            state.changes.append((change, byteCount))
            state.byteCount += byteCount
            if !state.hasSwept { (state.mustSweep, state.hasSwept) = (true, true) }
            takenCount.add(1, ordering: .releasing)
            defer { state.isScheduled = true }
            return (true, !state.isScheduled)
        }
        // The storage drains this when nobody uses it any more, and nothing keeps the catalog open after that.
        if isFirst { queue.asyncAfter(deadline: .now() + Self.delay) { [weak self] in self?.writeAll() } }
        return isTaken
    }

    /// Writes what waits, and returns when that is done and the files of bodies that weren't kept are removed.
    func drain() {
        queue.sync { writeAll() }
    }

    /// Calls `completion` when everything that waits now is written.
    func drain(_ completion: @escaping @Sendable () -> Void) {
        queue.async {
            self.writeAll()
            completion()
        }
    }

    /// Removes what was stored under versions that aren't active any more, soon.
    func sweep() {
        state.withLock { ($0.mustSweep, $0.hasSwept) = (true, true) }
        queue.async { [weak self] in self?.writeAll() }
    }

    private func writeAll() {
        repeat {
            while case let changes = take(), !changes.isEmpty { write(changes) }
        } while sweepSome()
    }

    /// Returns false when nothing is left.
    private func sweepSome() -> Bool {
        // Before it is looked for: who activates another version meanwhile asks for another look.
        let mustSweep = state.withLock { state in
            defer { state.mustSweep = false }
            return state.mustSweep
        }
        guard mustSweep else { return false }
        // A store that can't be written now is swept another time.
        let removed = (try? catalog.cachedResponses.removeOutdated(limit: Self.sweptCount)) ?? .init()
        remove(removed)
        let isMoreLeft = removed.count == Self.sweptCount
        if isMoreLeft { state.withLock { $0.mustSweep = true } }
        return isMoreLeft
    }

    /// The changes of the next transaction. They count as waiting until they are written.
    private func take() -> [CacheChange] {
        state.withLock { state in
            var byteCount = 0
            let count = state.changes.prefix(Self.transactionChangeCount).prefix { change in
                defer { byteCount += change.byteCount }
                return byteCount < Self.transactionByteCount
            }.count
            let taken = state.changes.prefix(count).map(\.change)
            state.changes.removeFirst(count)
            if taken.isEmpty { (state.isScheduled, state.byteCount) = (false, 0) }
            return taken
        }
    }

    private func write(_ changes: [CacheChange]) {
        // The locks are released on this queue alone.
        let (lasting, lost) = (changes.filter(\.isLasting), changes.filter { !$0.isLasting })
        for change in lost { giveUp(change) }
        do {
            try sync(lasting.flatMap(\.files))
            let (removed, states) = try catalog.cachedResponses.apply(
                lasting,
                limits: limits,
                beside: staged.total,
                sparing: use,
                noting: self.changes,
                at: now()
            )
            for (change, state) in zip(lasting, states) { conclude(change, state) }
            remove(removed)
        } catch {
            // The responses stay in memory for a while, and are fetched again after that.
            for change in lasting { giveUp(change) }
        }
        let byteCount = changes.reduce(0) { $0 + $1.byteCount + Self.overheadByteCount }
        state.withLock { $0.byteCount -= byteCount }
        writtenCount.add(changes.count, ordering: .releasing)
    }

    private func sync(_ files: [CachedBodyFile]) throws {
        guard !files.isEmpty else { return }
        for file in files { try file.sync() }
        try Durable.syncFolder(layout.cache)
    }

    /// A response that is in the catalog stays there as it is: what removes it later has to know its row.
    private func giveUp(_ change: CacheChange) {
        if change.row?.id == nil { change.row?.set(.absent) }
    }

    private func conclude(_ change: CacheChange, _ state: CachedRow.State) {
        change.row?.set(state)
        if case .written = state {
            for file in change.files { file.keep() }
        }
    }

    /// A file that can't be removed now is an orphan, which the next pruning removes.
    func remove(_ removed: RemovedResponses) {
        for name in removed.files {
            if let identifier = FileIdentifier(name: name) { try? Durable.remove(layout.body(identifier)) }
        }
    }

    /// Drops what is too much now.
    func evict() {
        let result = try? catalog.cachedResponses.apply(
            [],
            limits: limits,
            beside: staged.total,
            sparing: use,
            noting: changes,
            at: now()
        )
        if let removed = result?.removed { remove(removed) }
    }
}

extension CacheChange {
    /// About how many bytes of memory it holds.
    fileprivate var byteCount: Int {
        switch self {
        case .insert(let response, _):
            response.metadata.count + response.url.utf8.count + response.bodies.heldByteCount
        case .update(_, let metadata, _, let parts): metadata.count + (parts?.added.map(\.body).heldByteCount ?? 0)
        case .remove, .removeAll: 0
        }
    }

    /// Whether nothing but this makes others stop using a response.
    fileprivate var isRemoval: Bool {
        switch self {
        case .remove, .removeAll: true
        case .insert, .update: false
        }
    }
}

extension [CachedBody] {
    fileprivate var heldByteCount: Int { reduce(0) { $0 + ($1.file == nil ? $1.content.count : 0) } }
}

/// The row of a cached response in the catalog, also before it is written. Thread-safe.
package final class CachedRow: Sendable {
    /// Where the response is.
    package enum State: Equatable, Sendable {
        /// It will be written.
        case pending
        /// It has this number.
        case written(Int64)
        /// It couldn't be written, or was removed.
        case absent
        /// It must not be used any more: another version of its bundle has become active before it was written.
        case refused
    }

    private static let (pending, absent, refused): (Int64, Int64, Int64) = (0, -1, -2)

    private let value: Atomic<Int64>

    package init() {
        value = Atomic(Self.pending)
    }

    init(_ id: Int64) {
        value = Atomic(id)
    }

    package var state: State {
        switch value.load(ordering: .acquiring) {
        case Self.pending: .pending
        case Self.absent: .absent
        case Self.refused: .refused
        case let id: .written(id)
        }
    }

    /// Its number; nil when it isn't in the catalog.
    package var id: Int64? {
        if case .written(let id) = state { id } else { nil }
    }

    func set(_ state: State) {
        let new =
            switch state {
            case .pending: Self.pending
            case .absent: Self.absent
            case .refused: Self.refused
            case .written(let id): id
            }
        value.store(new, ordering: .releasing)
    }
}
