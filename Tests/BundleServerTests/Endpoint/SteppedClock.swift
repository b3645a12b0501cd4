import BundleTesting

/// A clock to sleep by that stands still until a test moves it.
final class SteppedClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration = .zero

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct State: Sendable {
        var now = Instant()
        var sleepCount = 0
    }

    private let monitor = Monitor(State())

    var now: Instant { monitor.state.now }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        monitor.update { $0.sleepCount += 1 }
        try await monitor.wait(while: { $0.now < deadline })
    }

    /// Moves on, whether or not someone sleeps.
    func advance(by duration: Duration) {
        monitor.update { $0.now = $0.now.advanced(by: duration) }
    }

    /// Waits until someone sleeps, moves on, and waits until someone sleeps again.
    func step(by duration: Duration) async throws {
        try await waitForSleeps(1)
        let count = monitor.update { state in
            state.now = state.now.advanced(by: duration)
            return state.sleepCount
        }
        try await waitForSleeps(count + 1)
    }

    /// Waits until there have been this many calls to sleep.
    func waitForSleeps(_ count: Int) async throws {
        _ = try await monitor.wait(for: "\(count) sleeps", deadline: .seconds(30)) { $0.sleepCount >= count ? () : nil }
    }
}
