import BundleStore

/// When to try to repair which bundle: immediately when its damage is new, and after increasing pauses when a repair
/// failed. A value type.
struct RepairSchedule {
    /// The pause after the first failure; it doubles with each further one.
    static let firstPause: Duration = .seconds(600)
    static let longestPause: Duration = .seconds(24 * 3_600)
    /// The pause when another process was working on the bundle.
    static let busyPause: Duration = .seconds(10)

    /// The bundles with damage; nil stands for damage whose bundle is unknown.
    private var wanted: Set<BundleName?> = []
    private var failures: [BundleName?: Backoff] = [:]

    private static var backoff: Backoff { Backoff(first: firstPause, longest: longestPause) }

    /// Adds bundles with damage.
    mutating func add(_ names: Set<BundleName?>) { wanted.formUnion(names) }

    /// The bundles to repair now, by name.
    func due(at now: Duration) -> [BundleName?] {
        wanted.filter { name in failures[name]?.isDue(at: now) ?? true }
            .sorted { ($0?.string ?? "") < ($1?.string ?? "") }
    }

    /// Records that a bundle has been repaired.
    mutating func succeeded(_ name: BundleName?) {
        wanted.remove(name)
        failures[name] = nil
    }

    /// Records that a bundle turned out to be intact when everything was read again, for example after a momentary disk
    /// failure. When the same damage is reported again, a repair is tried after a pause.
    mutating func foundSound(_ name: BundleName?, at now: Duration) {
        failed(name, at: now)
        wanted.remove(name)
    }

    /// Records that a bundle couldn't be repaired because another process was working on it.
    mutating func wasBusy(_ name: BundleName?, at now: Duration) {
        failures[name, default: Self.backoff].postpone(until: now + Self.busyPause)
    }

    /// Records that a bundle is still damaged.
    mutating func failed(_ name: BundleName?, at now: Duration) {
        failures[name, default: Self.backoff].failed(at: now)
    }
}
