import BundleStore

/// When to try to repair which bundle: at once when its damage is new, and after increasing pauses when it couldn't be repaired.
/// A value type.
struct RepairSchedule {
    /// The pause after the first failure; it doubles with each further one.
    static let firstPause: Duration = .seconds(600)
    static let longestPause: Duration = .seconds(24 * 3_600)

    /// The bundles with damage.
    private var wanted: Set<BundleName> = []
    private var failures: [BundleName: Backoff] = [:]

    /// Adds bundles with damage.
    mutating func add(_ names: Set<BundleName>) { wanted.formUnion(names) }

    /// The bundles to repair now, in the order of their names.
    func due(at now: Duration) -> [BundleName] {
        wanted.filter { name in failures[name]?.isDue(at: now) ?? true }.sorted()
    }

    /// Notes that a bundle has no damage any more.
    mutating func succeeded(_ name: BundleName) {
        wanted.remove(name)
        failures[name] = nil
    }

    /// Notes that a bundle is still damaged.
    mutating func failed(_ name: BundleName, at now: Duration) {
        failures[name, default: Backoff(first: Self.firstPause, longest: Self.longestPause)].failed(at: now)
    }
}
