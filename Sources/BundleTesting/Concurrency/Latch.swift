/// A latch that a test opens once: callers that come before wait.
///
/// Safe to use from any number of tasks at once.
package final class Latch: Sendable {
    private struct State: Sendable {
        var isOpen = false
        var arrivals = 0
    }

    private let monitor = Monitor(State())

    /// Makes a closed latch.
    package init() {}

    /// Releases all waiting and all later callers.
    package func open() {
        monitor.update { $0.isOpen = true }
    }

    /// Waits until the latch is open.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    package func wait() async throws {
        monitor.update { $0.arrivals += 1 }
        try await monitor.wait(while: { !$0.isOpen })
    }

    /// Waits until `count` callers have arrived at the latch, whether or not they still wait.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    package func waitForArrivals(_ count: Int = 1) async throws {
        try await monitor.wait(while: { $0.arrivals < count })
    }
}
