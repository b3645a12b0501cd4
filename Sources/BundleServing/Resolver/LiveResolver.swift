import BundleStore
import Foundation
import Synchronization

/// The resolver for the current contents of a store, while a server runs. Thread-safe.
public final class LiveResolver: Sendable {
    private let currentGeneration: Atomic<Int64>

    private let store: BundleStore
    private let resolver: Mutex<ResourceResolver>
    /// What ``current`` was made of.
    private struct Basis {
        let addresses: BundleAddresses
        let pageLifetime: TimeInterval?
        let revision: Int64
        /// When the pages of a release are no longer open; nil when that is known of none.
        let expiry: Date?
    }

    /// The basis of ``current``. Locked while the next resolver is made, which takes time in proportion to the
    /// manifests; requests use the previous one meanwhile.
    private let basis: Mutex<Basis>

    /// Creates a resolver for the current contents of `store`.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - addresses: Where bundles are served in addition to their origins.
    ///   - pageLifetime: How long pages stay open on a release that was left: that long they get their parts from it. Nil
    ///     for as long as it is retained.
    public init(
        _ store: BundleStore,
        addresses: BundleAddresses = BundleAddresses(),
        pageLifetime: Duration? = nil
    ) {
        self.store = store
        let (snapshot, now) = (store.snapshot, store.now())
        let basis = Self.basis(snapshot, addresses, Self.seconds(pageLifetime), now)
        resolver = Mutex(Self.resolver(snapshot, basis, now))
        self.basis = Mutex(basis)
        currentGeneration = Atomic(0)
    }

    private static func seconds(_ duration: Duration?) -> TimeInterval? {
        duration.map { TimeInterval($0.components.seconds) }
    }

    private static func resolver(_ snapshot: StoreSnapshot, _ basis: Basis, _ now: Date) -> ResourceResolver {
        let openSince = basis.pageLifetime.map { now.addingTimeInterval(-$0) }
        return ResourceResolver(snapshot, addresses: basis.addresses, openSince: openSince)
    }

    private static func basis(
        _ snapshot: StoreSnapshot,
        _ addresses: BundleAddresses,
        _ pageLifetime: TimeInterval?,
        _ now: Date
    ) -> Basis {
        let expiries = pageLifetime.map { lifetime in
            snapshot.bundles.values.flatMap { bundle in
                bundle.retained.compactMap { bundle.leavingDate(of: $0)?.addingTimeInterval(lifetime) }
            }
        }
        return Basis(
            addresses: addresses,
            pageLifetime: pageLifetime,
            revision: snapshot.revision,
            expiry: expiries?.filter { $0 > now }.min()
        )
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
        return basis.withLock { basis in
            let (snapshot, now) = (store.snapshot, store.now())
            let hasExpired = basis.expiry.map { $0 <= now } ?? false
            guard snapshot.revision != basis.revision || hasExpired else { return false }
            basis = Self.basis(snapshot, basis.addresses, basis.pageLifetime, now)
            replace(by: Self.resolver(snapshot, basis, now))
            return true
        }
    }

    /// Serves bundles at other addresses, and keeps pages open for another time, from the next request on. Takes time in
    /// proportion to the manifests.
    package func change(addresses: BundleAddresses, pageLifetime: Duration?) {
        basis.withLock { basis in
            let (snapshot, now) = (store.snapshot, store.now())
            basis = Self.basis(snapshot, addresses, Self.seconds(pageLifetime), now)
            replace(by: Self.resolver(snapshot, basis, now))
        }
    }

    private func replace(by next: ResourceResolver) {
        // The previous one is released outside the lock: that also takes time in proportion to the manifests.
        let previous = resolver.withLock { current in
            defer { current = next }
            return current
        }
        withExtendedLifetime(previous) {}
        currentGeneration.add(1, ordering: .releasing)
    }
}
