import BundleStore
import Synchronization

/// The resolver for the current contents of a store, while a server runs. Thread-safe.
public final class LiveResolver: Sendable {
    private let currentGeneration: Atomic<Int64>

    private let store: BundleStore
    private let addresses: BundleAddresses
    private let resolver: Mutex<ResourceResolver>
    /// The store revision of ``current``. Locked while the next resolver is made, which takes time in proportion to the
    /// manifests; requests use the previous one meanwhile.
    private let storeRevision: Mutex<Int64>

    /// Creates a resolver for the current contents of `store`.
    public init(_ store: BundleStore, addresses: BundleAddresses = BundleAddresses()) {
        self.store = store
        self.addresses = addresses
        let snapshot = store.snapshot
        resolver = Mutex(ResourceResolver(snapshot, addresses: addresses))
        storeRevision = Mutex(snapshot.revision)
        currentGeneration = Atomic(0)
    }

    /// The resolver for the store as of the last ``refresh()``. A request takes one and keeps it until it ends.
    public var current: ResourceResolver { resolver.withLock { $0 } }

    /// Increases when ``current`` changes. Takes no lock.
    public var generation: Int64 { currentGeneration.load(ordering: .acquiring) }

    /// Checks whether this or another process has changed the store. Takes a few microseconds when it hasn't; not for
    /// the request path.
    ///
    /// - Returns: Whether ``current`` has changed.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the catalog can't be read, or isn't the
    ///   one that was opened any more; with code `storeDamaged` when it is damaged.
    @discardableResult
    public func refresh() throws -> Bool {
        try store.refresh()
        return storeRevision.withLock { storeRevision in
            let snapshot = store.snapshot
            guard snapshot.revision != storeRevision else { return false }
            let next = ResourceResolver(snapshot, addresses: addresses)
            // The previous one is released outside the lock: that also takes time in proportion to the manifests.
            let previous = resolver.withLock { current in
                defer { current = next }
                return current
            }
            withExtendedLifetime(previous) {}
            storeRevision = snapshot.revision
            currentGeneration.add(1, ordering: .releasing)
            return true
        }
    }
}
