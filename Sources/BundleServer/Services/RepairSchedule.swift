import BundleStore

/// When to try to repair which bundle: at once when its damage is news, and with longer and longer pauses when it couldn't be
/// repaired. A value type.
struct RepairSchedule {
    /// The time after the first failure; it doubles with each one after that.
    static let firstPause: Duration = .seconds(600)
    static let longestPause: Duration = .seconds(24 * 3_600)

    private struct Failure {
        var pause: Duration
        var next: Duration
    }

    /// Those that something is wrong with.
    private var wanted: Set<BundleName> = []
    private var failures: [BundleName: Failure] = [:]

    /// Adds bundles that something is wrong with.
    mutating func add(_ names: Set<BundleName>) { wanted.formUnion(names) }

    /// The bundles to repair now, in the order of their names.
    func due(at now: Duration) -> [BundleName] {
        wanted.filter { name in failures[name].map { $0.next <= now } ?? true }.sorted()
    }

    /// Notes that nothing is wrong with a bundle any more.
    mutating func succeeded(_ name: BundleName) {
        wanted.remove(name)
        failures[name] = nil
    }

    /// Notes that something still is.
    mutating func failed(_ name: BundleName, at now: Duration) {
        let pause = failures[name].map { min($0.pause * 2, Self.longestPause) } ?? Self.firstPause
        failures[name] = Failure(pause: pause, next: now + pause)
    }
}
