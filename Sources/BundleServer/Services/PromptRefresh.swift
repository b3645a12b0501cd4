import BundleServing
import BundleStore
import Synchronization

/// Makes a change of the store count for each request that begins after it: what `install` has reported is served. The
/// ``StoreWatcher`` notices the same changes later, and those that can't be seen here.
///
/// Thread-safe.
final class PromptRefresh: Sendable {
    private let store: BundleStore
    private let resolver: LiveResolver
    /// The store's count of commits at the last refresh, in the lower half; no such value before the first.
    private let known = Atomic<UInt64>(.max)

    /// - Parameter resolver: The resolver of the same store.
    init(_ store: BundleStore, _ resolver: LiveResolver) {
        self.store = store
        self.resolver = resolver
    }

    /// Refreshes the resolver if the catalog has been changed. Otherwise reads memory only, and takes no lock.
    func callAsFunction() {
        guard let count = store.commitCount.map(UInt64.init), count != known.load(ordering: .acquiring) else { return }
        // The watcher reports failures, and tries again.
        _ = try? resolver.refresh()
        // Afterwards: a request on another thread must not go on with the earlier state meanwhile.
        known.store(count, ordering: .releasing)
    }
}
