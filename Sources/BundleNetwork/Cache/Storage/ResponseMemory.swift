import BundleServing
import BundleStore
import HTTPTypes
import Synchronization

/// The stored responses that are held in memory, and what is known of those that aren't: which keys have none, and which
/// variants there are. Thread-safe; never waits for the disk.
final class ResponseMemory: Sendable {
    /// The moment at which something began to be read.
    struct Moment: Sendable {
        let space: ReleaseSpace
        fileprivate let change: Int
        fileprivate let removals: Int
        let insertions: Int
    }

    private struct Key: Hashable {
        let space: Int
        let text: String
    }

    private struct State {
        var table: SieveTable<Key, CachedKeyEntry>
        var spaces: [BundleName: ReleaseSpace] = [:]
        var spaceCount = 0
        var removals = 0
        var change = 0
    }

    // All users of the memory hold the store, which holds the memory.
    private unowned let store: BundleStore
    private let state: Mutex<State>
    /// The most that the variants of one key may take.
    private let maximumKeyByteCount: Int

    /// The memory of all who use a store. The first decides on its capacity in bytes.
    static func shared(_ store: BundleStore, capacity: Int) -> ResponseMemory {
        store.sharedCacheMemory.withLock { shared in
            if let memory = shared as? ResponseMemory { return memory }
            let memory = ResponseMemory(store, capacity: capacity)
            shared = memory
            return memory
        }
    }

    private init(_ store: BundleStore, capacity: Int) {
        self.store = store
        state = Mutex(State(table: SieveTable(capacity: capacity)))
        maximumKeyByteCount = capacity / 8
    }

    /// The number of keys, and about how many bytes of memory they take.
    var size: (count: Int, byteCount: Int) { state.withLock { ($0.table.count, $0.table.cost) } }

    /// What a request finds; nil when the catalog has to be asked.
    func lookUp(
        _ request: HTTPRequest,
        key: String,
        under release: Release,
        where isUsable: (StoredResponse) -> Bool
    ) -> CacheLookup? {
        let lookup: CacheLookup? = state.withLock { state in
            guard let space = enter(release, &state) else { return nil }
            return state.table.value(for: Key(space: space.number, text: key))?
                .lookUp(request, insertions: store.cacheChanges.insertions, where: isUsable)
        }
        noteUse(of: lookup)
        return lookup
    }

    /// The variants of a key that are held in memory, whatever request they are for.
    func variants(under key: String, of release: Release) -> [CachedVariant] {
        state.withLock { state in
            guard let space = enter(release, &state) else { return [] }
            let entry = state.table.value(for: Key(space: space.number, text: key))
            return entry?.slots.compactMap(\.content.variant).filter { !$0.validity.isRevoked } ?? []
        }
    }

    /// Whether a change to what is stored under a key isn't in the catalog yet.
    func isUnwritten(_ key: String, under release: Release) -> Bool {
        state.withLock { state in
            guard let space = enter(release, &state),
                let entry = state.table.value(for: Key(space: space.number, text: key))
            else { return false }
            return entry.neededProgress > store.cacheProgress.written
        }
    }

    private func noteUse(of lookup: CacheLookup?) {
        guard let variant = lookup?.variant else { return }
        variant.validity.noteUse(in: store.useRound) { store.noteUse(of: variant.row) }
    }

    /// Notes that something will be read; nil when the release isn't active any more.
    func begin(under release: Release) -> Moment? {
        state.withLock { state in
            enter(release, &state).map { space in
                let changes = store.cacheChanges
                return Moment(
                    space: space,
                    change: state.change,
                    removals: changes.removals,
                    insertions: changes.insertions
                )
            }
        }
    }

    /// The validity of a response that was stored or read since a moment.
    func validity(of row: CachedRow, since moment: Moment) -> EntryValidity {
        EntryValidity(row, in: moment.space, store.cacheChanges, removals: moment.removals)
    }

    /// Takes what was read since a moment, unless it has been overtaken by a change.
    ///
    /// - Returns: What the request finds then; nil when the catalog has to be read again.
    func take(
        _ slots: [CachedKeyEntry.Slot],
        for request: HTTPRequest,
        key: String,
        since moment: Moment,
        where isUsable: (StoredResponse) -> Bool
    ) -> CacheLookup? {
        let lookup: CacheLookup? = state.withLock { state in
            let key = Key(space: moment.space.number, text: key)
            let entry = state.table.value(for: key)
            guard !moment.space.isRevoked, store.cacheChanges.removals == moment.removals,
                entry.map({ $0.change <= moment.change }) ?? true
            else { return nil }
            var merged = entry ?? CachedKeyEntry()
            merged.merge(slots, completeness: moment.insertions)
            set(merged, for: key, &state)
            return merged.lookUp(request, insertions: moment.insertions, where: isUsable)
        }
        noteUse(of: lookup)
        return lookup
    }

    /// Changes what is known of a key.
    ///
    /// - Parameter body: Returns nil to leave everything as it is. Adds the change to the store, so that the order of
    ///   both is the same; called while the memory is locked.
    /// - Returns: What `body` returns; nil when the release isn't active any more.
    func change<Result>(
        _ key: String,
        under release: Release,
        _ body: (inout CachedKeyEntry, Moment) -> Result?
    ) -> Result? {
        state.withLock { state in
            guard let space = enter(release, &state) else { return nil }
            let key = Key(space: space.number, text: key)
            let changes = store.cacheChanges
            state.change += 1
            let moment = Moment(
                space: space,
                change: state.change,
                removals: changes.removals,
                insertions: changes.insertions
            )
            var entry = state.table.value(for: key) ?? CachedKeyEntry()
            guard let result = body(&entry, moment) else { return nil }
            entry.change = state.change
            entry.neededProgress = store.cacheProgress.taken
            set(entry, for: key, &state)
            return result
        }
    }

    /// Puts another state of an entry into its place, or nothing, and revokes this one. Has no effect when it was revoked
    /// before: it was replaced or removed.
    ///
    /// - Parameter body: Changes the store in the same way, so that the order of both is the same.
    func change(_ variant: CachedVariant, to new: CachedVariant?, _ body: () -> Void) {
        state.withLock { state in
            guard !variant.validity.isRevoked else { return }
            variant.validity.revoke()
            body()
            state.change += 1
            let key = Key(space: variant.validity.space.number, text: variant.key)
            var entry = state.table.value(for: key) ?? CachedKeyEntry()
            entry.replace(variant, with: new)
            entry.change = state.change
            entry.neededProgress = store.cacheProgress.taken
            set(entry, for: key, &state)
        }
    }

    private func set(_ entry: CachedKeyEntry, for key: Key, _ state: inout State) {
        var entry = entry
        entry.shrink(to: maximumKeyByteCount)
        state.table.set(entry, for: key, cost: entry.cost + 2 * key.text.utf8.count)
        evict(&state)
    }

    private func evict(to capacity: Int? = nil, _ state: inout State) {
        let written = store.cacheProgress.written
        // Until a change is in the catalog, nothing else knows of it.
        state.table.evict(to: capacity) { $0.neededProgress > written }
    }

    /// Releases everything that can be read again.
    func release() { state.withLock { evict(to: 0, &$0) } }

    /// The space of a release; nil when a later one has been active since. What is left of the release before is
    /// revoked, and what others have removed is forgotten.
    private func enter(_ release: Release, _ state: inout State) -> ReleaseSpace? {
        let removals = store.cacheChanges.removals
        if removals != state.removals {
            state.removals = removals
            state.table = SieveTable(capacity: state.table.capacity)
        }
        let identity = ReleaseIdentity(release)
        if let space = state.spaces[release.name] {
            if space.belongs(to: identity) { return space }
            guard !space.isLater(than: identity) else { return nil }
            space.revoke()
        }
        state.spaceCount += 1
        let space = ReleaseSpace(state.spaceCount, identity)
        state.spaces[release.name] = space
        return space
    }
}

/// What is stored under one release, for as long as it is active. Thread-safe.
final class ReleaseSpace: Sendable {
    let number: Int
    private let release: ReleaseIdentity
    private let flag = Atomic(false)

    init(_ number: Int, _ release: ReleaseIdentity) {
        self.number = number
        self.release = release
    }

    var isRevoked: Bool { flag.load(ordering: .acquiring) }

    func revoke() {
        flag.store(true, ordering: .releasing)
    }

    /// Whether it is the space of a release.
    func belongs(to other: ReleaseIdentity) -> Bool { release == other }

    /// Whether it is of a later activation than a release.
    func isLater(than other: ReleaseIdentity) -> Bool { release.activation > other.activation }
}

/// One activation of a release: after a rollback nothing is left of what was stored under it before.
struct ReleaseIdentity: Hashable, Sendable {
    let version: String
    /// Higher than those of earlier activations.
    let activation: Int64

    init(_ release: Release) {
        version = release.version.string
        activation = release.activationNumber ?? 0
    }
}

/// Says whether a stored response still stands: what was made from it is used only while it does.
///
/// It is revoked when the response is replaced, freshened, invalidated or removed, here or by another process, and when
/// another version of its bundle becomes active; but not when it merely leaves memory. Thread-safe.
final class EntryValidity: Revocable {
    private let flag = Atomic(false)
    private let row: CachedRow
    let space: ReleaseSpace
    private let changes: CacheChanges
    private let removals: Int
    /// The round of eviction in which a use was noted last.
    private let notedRound = Atomic(-1)

    /// - Parameter removals: What ``/BundleStore/BundleStore/CacheChanges/removals`` was before the response was read.
    init(_ row: CachedRow, in space: ReleaseSpace, _ changes: CacheChanges, removals: Int) {
        self.row = row
        self.space = space
        self.changes = changes
        self.removals = removals
    }

    /// Whether the response was revoked. Never becomes false again.
    var isRevoked: Bool {
        flag.load(ordering: .acquiring) || space.isRevoked || changes.removals != removals || row.state == .refused
    }

    /// For another state of the same entry. Nothing that revokes this one alone revokes it.
    var renewed: EntryValidity { EntryValidity(row, in: space, changes, removals: removals) }

    func revoke() {
        flag.store(true, ordering: .releasing)
    }

    /// Notes a use, unless that was done in this round of eviction: a look-up costs a comparison.
    ///
    /// - Parameter note: Returns whether it was noted.
    func noteUse(in round: Int, _ note: () -> Bool) {
        guard notedRound.load(ordering: .relaxed) != round, note() else { return }
        notedRound.store(round, ordering: .relaxed)
    }
}
