import Dispatch
import Synchronization

/// How often a client looks for changes that other processes have made to the store: once a second, while it is used.
/// Thread-safe.
final class RefreshPace: Sendable {
    private static let interval: UInt64 = 1_000_000_000

    private let last: Atomic<UInt64>

    init() {
        last = Atomic(DispatchTime.now().uptimeNanoseconds)
    }

    /// Whether it is time; true for one of the callers. Takes some tens of nanoseconds.
    func isDue() -> Bool {
        let (now, last) = (DispatchTime.now().uptimeNanoseconds, last.load(ordering: .relaxed))
        guard now &- last >= Self.interval else { return false }
        return self.last.compareExchange(expected: last, desired: now, ordering: .relaxed).exchanged
    }
}
