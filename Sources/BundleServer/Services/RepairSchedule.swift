import BundleStore

/// When to try to repair which bundle: at once when its damage is new, and after increasing pauses when it couldn't be repaired.
/// A value type.
struct RepairSchedule {
    /// The pause after the first failure; it doubles with each further one.
    static let firstPause: Duration = .seconds(600)
    static let longestPause: Duration = .seconds(24 * 3_600)
    /// The pause when another process was in the way.
    static let busyPause: Duration = .seconds(10)

    private struct Failure {
        var pause: Duration
        var next: Duration
    }

    /// The bundles with damage; nil stands for damage that doesn't tell its bundle.
    private var wanted: Set<BundleName?> = []
    private var failures: [BundleName?: Failure] = [:]

    /// Adds bundles with damage.
    mutating func add(_ names: Set<BundleName?>) { wanted.formUnion(names) }

    /// The bundles to repair now, in the order of their names.
    func due(at now: Duration) -> [BundleName?] {
        wanted.filter { name in failures[name].map { $0.next <= now } ?? true }
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
        let pause = failures[name]?.pause ?? Self.firstPause / 2
        failures[name] = Failure(pause: pause, next: now + Self.busyPause)
    }

    /// Notes that a bundle is still damaged.
    mutating func failed(_ name: BundleName?, at now: Duration) {
        let pause = failures[name].map { min($0.pause * 2, Self.longestPause) } ?? Self.firstPause
        failures[name] = Failure(pause: pause, next: now + pause)
    }
}
