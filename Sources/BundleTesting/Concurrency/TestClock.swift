import Foundation

/// A clock for tests, which can be slept on and gives the date. It stands still until a test moves it, or advances by a
/// fixed step at each read of ``now``.
///
/// Safe to use from any number of threads at once.
package final class TestClock: Clock {
    /// The distance between two moments.
    package typealias Duration = Swift.Duration

    /// A moment, as the time since the clock was made.
    package struct Instant: InstantProtocol {
        let offset: Swift.Duration

        /// The moment `duration` later.
        package func advanced(by duration: Swift.Duration) -> Instant { Instant(offset: offset + duration) }
        /// How much later `other` is.
        package func duration(to other: Instant) -> Swift.Duration { other.offset - offset }
        /// Whether `left` is earlier.
        package static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct State: Sendable {
        var elapsed = Swift.Duration.zero
        var sleepCount = 0
        /// The deadlines of those who sleep, by the numbers of their sleeps.
        var sleepers: [Int: Swift.Duration] = [:]
        var onLook: @Sendable () -> Void = {}
    }

    private let start: Date
    private let step: Swift.Duration
    private let monitor = Monitor(State())

    /// - Parameters:
    ///   - start: The date at the start; by default 2026-01-01 00:00:00 UTC, a Thursday.
    ///   - step: How far each read of ``now`` advances it.
    package init(_ start: Date = Date(timeIntervalSince1970: 1_767_225_600), step: Swift.Duration = .zero) {
        self.start = start
        self.step = step
    }

    /// Any step is possible.
    package var minimumResolution: Swift.Duration { .nanoseconds(1) }

    /// The current moment; each read advances the clock by the step.
    package var now: Instant {
        monitor.state.onLook()
        return monitor.update { [step] state in
            state.elapsed += step
            return Instant(offset: state.elapsed)
        }
    }

    /// Called before each read of ``now``.
    package var onLook: @Sendable () -> Void {
        get { monitor.state.onLook }
        set { monitor.update { $0.onLook = newValue } }
    }

    /// The current date. It may also be set back.
    package var date: Date {
        get {
            let (seconds, attoseconds) = monitor.state.elapsed.components
            return start + TimeInterval(seconds) + TimeInterval(attoseconds) / 1e18
        }
        set { monitor.update { [start] in $0.elapsed = .seconds(newValue.timeIntervalSince(start)) } }
    }

    /// The date as a function, the form in which the code under test takes it.
    package var read: @Sendable () -> Date {
        { self.date }
    }

    /// Moves the clock forward; back when `duration` is negative.
    package func advance(by duration: Swift.Duration) {
        monitor.update { $0.elapsed += duration }
    }

    /// Returns when a test has moved the clock to `deadline`; at once when each read advances it.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    package func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
        let number = monitor.update { [step] state in
            state.sleepCount += 1
            state.sleepers[state.sleepCount] = deadline.offset
            if step > .zero { state.elapsed = max(state.elapsed, deadline.offset) }
            return state.sleepCount
        }
        defer { monitor.update { $0.sleepers[number] = nil } }
        try await monitor.wait(while: { $0.elapsed < deadline.offset })
    }

    /// Waits until a task sleeps, moves the clock, and waits until those whom that wakes sleep again.
    ///
    /// - Parameter sleeperCount: How often tasks have to sleep after the move; nil for as many as it wakes, at least one.
    /// - Throws: As ``waitForSleeps(_:)``.
    package func step(by duration: Swift.Duration, untilSleeping sleeperCount: Int? = nil) async throws {
        try await waitForSleeps(1)
        let count = monitor.update { state in
            state.elapsed += duration
            let wokenCount = state.sleepers.values.count { [elapsed = state.elapsed] in $0 <= elapsed }
            return state.sleepCount + (sleeperCount ?? max(1, wokenCount))
        }
        try await waitForSleeps(count)
    }

    /// How many calls to sleep there have been.
    package var sleepCount: Int { monitor.state.sleepCount }

    /// Waits until there have been this many calls to sleep.
    ///
    /// - Throws: ``DeadlineExceeded`` after 30 s; `CancellationError` when the task is cancelled.
    package func waitForSleeps(_ count: Int) async throws {
        _ = try await monitor.wait(for: "\(count) sleeps", deadline: .seconds(30)) { $0.sleepCount >= count ? () : nil }
    }
}
