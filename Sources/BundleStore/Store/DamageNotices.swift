import Synchronization

/// The bundles of which readers have found files to be damaged, until somebody asks for them. Thread-safe.
final class DamageNotices: Sendable {
    private let names = Mutex<Set<BundleName>>([])

    func add(_ damage: StoreDamage) {
        // A damaged response from the network is dropped at once, and takes no repair.
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
