import BundleNetwork
import Foundation
import HTTPTypes
import Testing

@Suite("Age")
struct AgeTests {
    @Test(
        "§5.1: the first value of Age counts, and one that isn't a number is ignored",
        arguments: [
            ([], 0), (["0"], 0), (["100"], 100), (["100, 0"], 100), (["0, 100"], 0), (["100", "0"], 100),
            (["0", "100"], 0), (["0, 0"], 0), (["abc"], 0), (["abc", "100"], 0), (["-100"], 0), (["100.5"], 0),
            (["100;a=b"], 0), ([""], 0), ([" 100 "], 100), (["2147483647"], 2_147_483_647),
            (["2147483649"], 2_147_483_648), (["99999999999999999999"], 2_147_483_648),
        ] as [([String], TimeInterval)]
    )
    func ageValue(lines: [String], seconds: TimeInterval) {
        #expect(CacheExchange(lines.map { ("Age", $0) }).freshness().age == seconds)
    }

    /// Seconds from the start by default.
    struct Clock: Sendable {
        var date: TimeInterval = 0
        var age: TimeInterval = 0
        var requested: TimeInterval = 0
        var received: TimeInterval = 0
        var now: TimeInterval = 0
        var expected: TimeInterval
    }

    @Test(
        "§4.2.3: the age is the larger of apparent and corrected age, and the time in the cache",
        arguments: [
            Clock(now: 30, expected: 30),
            Clock(date: -20, now: 30, expected: 50),
            Clock(age: 20, now: 30, expected: 50),
            Clock(date: -20, age: 50, now: 30, expected: 80),
            Clock(date: -50, age: 20, now: 30, expected: 80),
            Clock(requested: 0, received: 4, now: 30, expected: 30),
            Clock(date: 4, age: 20, requested: 0, received: 4, now: 30, expected: 50),
            Clock(date: 500, now: 30, expected: 30),
        ]
    )
    func currentAge(clock: Clock) {
        #expect(age(clock) == clock.expected)
    }

    @Test(
        "no age is negative, even when a clock was set back",
        arguments: [
            Clock(now: -1_000_000, expected: 0),
            Clock(date: -20, now: -1_000_000, expected: 20),
            Clock(requested: 100, received: 0, now: 30, expected: 30),
            Clock(date: 1_000_000, requested: 100, received: 50, now: -100, expected: 0),
        ]
    )
    func clockSetBack(clock: Clock) {
        #expect(age(clock) == clock.expected)
    }

    @Test(
        "a response dated further in the future than clocks differ isn't fresh, whatever its directives",
        arguments: [
            (Clock(now: 0, expected: 0), true), (Clock(now: -300, expected: 0), true),
            (Clock(now: -301, expected: 0), false),
            (Clock(now: -1_000_000_000, expected: 0), false), (Clock(date: 300, now: 0, expected: 0), true),
            (Clock(date: 301, now: 0, expected: 0), false), (Clock(date: 301, now: 1, expected: 0), true),
        ]
    )
    func fromTheFuture(clock: Clock, isFresh: Bool) {
        var exchange = CacheExchange([("Cache-Control", "max-age=60, stale-while-revalidate=60, stale-if-error=60")])
        exchange.response.headerFields[.date] = CacheExchange.date(clock.date)
        let policy = CachePolicy(isShared: true)
        let now = CacheExchange.start.addingTimeInterval(clock.now)
        #expect(policy.freshness(of: exchange.stored(), now: now).isFresh == isFresh)
        let decision = policy.decision(
            for: CacheExchange.get([("Cache-Control", "max-stale")]),
            stored: exchange.stored(),
            now: now
        )
        #expect((decision == .revalidate(fallback: .onServerError)) == !isFresh)
    }

    @Test(
        "§5.1: the Age of a served response is whole seconds, at most 2^31",
        arguments: [(0, "0"), (59.9, "59"), (60, "60"), (-5, "0"), (1e300, "2147483648")] as [(TimeInterval, String)]
    )
    func field(now: TimeInterval, value: String) {
        let field = CacheExchange().stored().ageField(now: CacheExchange.start.addingTimeInterval(now))
        #expect(field == HTTPField(name: .age, value: value))
    }

    @Test("§5.1: the Age of a served response adds to the stored one")
    func fieldAdds() {
        #expect(
            CacheExchange([("Age", "100")]).stored().ageField(now: CacheExchange.start.addingTimeInterval(5)).value
                == "105"
        )
    }

    private func age(_ clock: Clock) -> TimeInterval {
        var exchange = CacheExchange([("Age", String(Int(clock.age)))])
        exchange.response.headerFields[.date] = CacheExchange.date(clock.date)
        exchange.requestTime = CacheExchange.start.addingTimeInterval(clock.requested)
        exchange.responseTime = CacheExchange.start.addingTimeInterval(clock.received)
        return exchange.freshness(after: clock.now).age
    }
}
