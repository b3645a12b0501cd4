import Synchronization

/// Collects the bundles in which readers have found damaged files, until they are taken. Thread-safe.
final class DamageNotices: Sendable {
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
