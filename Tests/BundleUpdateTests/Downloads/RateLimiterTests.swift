import BundleTesting
import Testing

@testable import BundleUpdate

@Suite("The highest rate of downloads")
struct RateLimiterTests {
    @Test("all transfers together keep to it, and an idle time isn't made up for")
    func shared() async throws {
        let clock = TestClock()
        let limiter = RateLimiter(rate: 1_000, clock: clock)
        let first = Task { try await limiter.wait(for: 2_000) }
        try await clock.waitForSleeps(1)
        let second = Task { try await limiter.wait(for: 1_000) }
        try await clock.waitForSleeps(2)
        clock.advance(by: .seconds(2))
        try await first.value
        let ended = Monitor(false)
        let watch = Task {
            try await second.value
            ended.update { $0 = true }
        }
        #expect(!ended.state)
        clock.advance(by: .seconds(1))
        try await watch.value

        clock.advance(by: .seconds(100))
        let third = Task { try await limiter.wait(for: 1_000) }
        try await clock.waitForSleeps(3)
        let before = clock.now
        clock.advance(by: .seconds(1))
        try await third.value
        #expect(before.duration(to: clock.now) == .seconds(1))
    }

    @Test("a cancelled transfer waits no longer")
    func cancelled() async throws {
        let clock = TestClock()
        let limiter = RateLimiter(rate: 1, clock: clock)
        let task = Task { try await limiter.wait(for: 1_000_000) }
        try await clock.waitForSleeps(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
