/// A door that a test opens: whoever comes before that waits.
///
/// Safe to use from any number of tasks at once.
public final class Gate: Sendable {
    private struct State: Sendable {
        var isOpen = false
        var arrivals = 0
    }

    private let monitor = Monitor(State())

    /// Makes a closed gate.
    public init() {}

    /// Lets everyone through, from now on.
    public func open() {
        monitor.update { $0.isOpen = true }
    }

    /// Waits until the gate is open.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func pass() async throws {
        monitor.update { $0.arrivals += 1 }
        try await monitor.wait(while: { !$0.isOpen })
    }

    /// Waits until `count` callers have come to the gate, whether they are through or not.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func waitForArrivals(_ count: Int = 1) async throws {
        try await monitor.wait(while: { $0.arrivals < count })
    }
}
