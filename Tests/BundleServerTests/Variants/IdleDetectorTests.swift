import Testing

@testable import BundleServer

@Suite("A time without requests")
struct IdleDetectorTests {
    private static let interval = IdleDetector.interval

    @Test("work waits until no request has come for an interval")
    func burst() {
        var idle = IdleDetector(1, at: .zero)
        #expect(idle.delay(1, at: .zero) == Self.interval)
        #expect(idle.delay(1, at: Self.interval / 4) == Self.interval * 3 / 4)
        #expect(idle.delay(2, at: Self.interval / 2) == Self.interval)
        #expect(idle.delay(2, at: Self.interval) == Self.interval / 2)
        #expect(idle.delay(2, at: Self.interval * 3 / 2) == nil)
    }

    @Test("work that goes on waits again when requests come")
    func again() {
        var idle = IdleDetector(1, at: .zero)
        #expect(idle.delay(1, at: Self.interval) == nil)
        #expect(idle.delay(1, at: Self.interval * 2) == nil)
        #expect(idle.delay(2, at: Self.interval * 3) == Self.interval)
        #expect(idle.delay(2, at: Self.interval * 4) == nil)
    }

    @Test("a steady stream has work wait for a limited time, and only once until the next time without requests")
    func steady() {
        var (idle, count, now) = (IdleDetector(0, at: .zero), Int64(0), Duration.zero)
        func step() -> Duration? {
            count += 1
            now += Self.interval / 2
            return idle.delay(count, at: now)
        }
        while now < IdleDetector.limit - Self.interval { #expect(step() == Self.interval) }
        _ = step()
        for _ in 0..<10 { #expect(step() == nil) }
        // A time without requests ends the stream; the next one is waited for anew.
        #expect(idle.delay(count, at: now + Self.interval) == nil)
        now += Self.interval * 2
        #expect(step() == Self.interval)
    }
}
