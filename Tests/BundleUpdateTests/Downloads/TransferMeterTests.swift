import BundleTesting
import Testing

@testable import BundleUpdate

@Suite("The meter of a transfer")
struct TransferMeterTests {
    @Test(
        "notices a stall at its time, also when the clock moves between its look and its sleep",
        .timeLimit(.minutes(5))
    )
    func stall() async throws {
        let (clock, lookCount) = (TestClock(), Monitor(0))
        let meter = TransferMeter(TransferLimits(), limiter: nil, clock: clock)
        clock.onLook = { [unowned clock] in
            lookCount.update { $0 += 1 }
            if lookCount.state == 2 { clock.advance(by: .seconds(31)) }
        }
        let slowness = Task { try await meter.slowness() }
        try await clock.waitForSleeps(1)
        clock.onLook = {}
        // It looks once, and sleeps until a moment that it doesn't look for again.
        #expect(lookCount.state == 1)
        clock.advance(by: .seconds(31))
        #expect(try await slowness.value == .rate(1_000))
    }
}
