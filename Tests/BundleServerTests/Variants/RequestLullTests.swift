import Testing

@testable import BundleServer

@Suite("A lull of the requests")
struct RequestLullTests {
    private static let interval = RequestLull.interval

    @Test("work waits until no request has come for an interval")
    func burst() {
        var lull = RequestLull(1, at: .zero)
        #expect(lull.delay(1, at: .zero) == Self.interval)
        #expect(lull.delay(1, at: Self.interval / 4) == Self.interval * 3 / 4)
        #expect(lull.delay(2, at: Self.interval / 2) == Self.interval)
        #expect(lull.delay(2, at: Self.interval) == Self.interval / 2)
        #expect(lull.delay(2, at: Self.interval * 3 / 2) == nil)
    }

    @Test("work that goes on waits again when requests come")
    func again() {
        var lull = RequestLull(1, at: .zero)
        #expect(lull.delay(1, at: Self.interval) == nil)
        #expect(lull.delay(1, at: Self.interval * 2) == nil)
        #expect(lull.delay(2, at: Self.interval * 3) == Self.interval)
        #expect(lull.delay(2, at: Self.interval * 4) == nil)
    }

    @Test("a steady stream has work wait for a limited time, and only once until the next lull")
    func steady() {
        var (lull, count, now) = (RequestLull(0, at: .zero), Int64(0), Duration.zero)
        func step() -> Duration? {
            count += 1
            now += Self.interval / 2
            return lull.delay(count, at: now)
        }
        while now < RequestLull.limit - Self.interval { #expect(step() == Self.interval) }
        _ = step()
        for _ in 0..<10 { #expect(step() == nil) }
        // A lull ends the stream; the next one is waited for anew.
        #expect(lull.delay(count, at: now + Self.interval) == nil)
        now += Self.interval * 2
        #expect(step() == Self.interval)
    }
}
