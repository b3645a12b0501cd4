import BundleStore

/// When to try to repair which bundle: at once when its damage is new, and after increasing pauses when it couldn't be repaired.
/// A value type.
struct RepairSchedule {
    /// The pause after the first failure; it doubles with each further one.
    static let firstPause: Duration = .seconds(600)
    static let longestPause: Duration = .seconds(24 * 3_600)
    /// The pause when another process was in the way.
    static let busyPause: Duration = .seconds(10)

    /// The bundles with damage; nil stands for damage that doesn't tell its bundle.
    private var wanted: Set<BundleName?> = []
    private var failures: [BundleName?: Backoff] = [:]

    private static var backoff: Backoff { Backoff(first: firstPause, longest: longestPause) }

    /// Adds bundles with damage.
    mutating func add(_ names: Set<BundleName?>) { wanted.formUnion(names) }

    /// The bundles to repair now, in the order of their names.
    func due(at now: Duration) -> [BundleName?] {
        wanted.filter { name in failures[name]?.isDue(at: now) ?? true }
            .sorted { ($0?.string ?? "") < ($1?.string ?? "") }
    }

    /// Notes that a bundle has been repaired.
    mutating func succeeded(_ name: BundleName?) {
        wanted.remove(name)
        failures[name] = nil
    }

    /// Notes that nothing was wrong with a bundle when everything was read again, as after a disk failed for a moment. When the
    /// same is reported again, it is tried after a pause.
    mutating func foundSound(_ name: BundleName?, at now: Duration) {
        failed(name, at: now)
        wanted.remove(name)
    }

    /// Notes that a bundle couldn't be repaired since another process was working on it.
    mutating func wasBusy(_ name: BundleName?, at now: Duration) {
        failures[name, default: Self.backoff].postpone(until: now + Self.busyPause)
    }

    /// Notes that a bundle is still damaged.
    mutating func failed(_ name: BundleName?, at now: Duration) {
        failures[name, default: Self.backoff].failed(at: now)
    }
}
