import BundleStore
import Synchronization

/// The resolver for what the store holds now, for as long as a server runs. Thread-safe.
public final class LiveResolver: Sendable {
    private struct State {
        var revision: Int64
        var resolver: ResourceResolver
    }

    private let currentGeneration: Atomic<Int64>

    private let store: BundleStore
    private let mounts: [Mount]
    private let state: Mutex<State>

    /// Takes what `store` holds.
    public init(_ store: BundleStore, mounts: [Mount] = []) {
        self.store = store
        self.mounts = mounts
        let snapshot = store.snapshot
        let resolver = ResourceResolver(snapshot, mounts: mounts)
        state = Mutex(State(revision: snapshot.revision, resolver: resolver))
        currentGeneration = Atomic(0)
    }

    /// The resolver for the store as it was at the last ``refresh()``. A request takes one and keeps it to its end.
    public var current: ResourceResolver { state.withLock { $0.resolver } }

    /// Rises when ``current`` becomes another one. Costs no lock.
    public var generation: Int64 { currentGeneration.load(ordering: .acquiring) }

    /// Looks whether this or another process has changed the store. A few microseconds when it hasn't; not for the request
    /// path.
    ///
    /// - Returns: Whether ``current`` is another one now.
    /// - Throws: ``BundleStore/BundleError`` with code `storeUnavailable` when the catalog can't be read, or isn't the one that
    ///   was opened any more; with code `storeDamaged` when it is damaged.
    @discardableResult
    public func refresh() throws -> Bool {
        try store.refresh()
        return state.withLock { state in
            let snapshot = store.snapshot
            guard snapshot.revision != state.revision else { return false }
            state = State(revision: snapshot.revision, resolver: ResourceResolver(snapshot, mounts: mounts))
            currentGeneration.add(1, ordering: .releasing)
            return true
        }
    }
}
