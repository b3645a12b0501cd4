import BundleModel
import BundleTesting
import Testing

@Suite("A clock's stopwatch and alarm")
struct ClockStopwatchTests {
    @Test("count from the same call, whatever has passed when they are asked", .timeLimit(.minutes(5)))
    func elapsed() async throws {
        let clock = TestClock()
        clock.advance(by: .seconds(5))
        let (elapsed, alarm) = (clock.stopwatch(), clock.alarm())
        #expect(elapsed() == .zero)
        clock.advance(by: .seconds(31))
        #expect(elapsed() == .seconds(31))
        try await alarm(.seconds(30))
        let waiting = Task { try await alarm(.seconds(60)) }
        try await clock.waitForSleeps(2)
        clock.advance(by: .seconds(29))
        try await waiting.value
    }

    @Test("an alarm ends with its task", .timeLimit(.minutes(5)))
    func cancelled() async throws {
        let alarm = TestClock().alarm()
        let waiting = Task { try await alarm(.seconds(60)) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }
}
