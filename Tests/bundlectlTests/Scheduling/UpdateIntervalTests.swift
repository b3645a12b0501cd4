import Testing

@testable import bundlectl

struct UpdateIntervalTests {
    @Test(
        "an interval is a calendar event, and a line of a crontab",
        arguments: [
            ("60s", "1m", "*-*-* *:00/1:00", "*/1 * * * *"), ("15m", "15m", "*-*-* *:00/15:00", "*/15 * * * *"),
            ("60m", "1h", "*-*-* 00/1:00:00", "0 */1 * * *"), ("6h", "6h", "*-*-* 00/6:00:00", "0 */6 * * *"),
            ("1d", "24h", "*-*-* 00:00:00", "0 0 * * *"),
        ]
    )
    func values(_ argument: String, _ text: String, _ calendar: String, _ crontab: String) throws {
        let interval = try #require(UpdateInterval(argument: argument))
        #expect((interval.text, interval.calendar, interval.crontab) == (text, calendar, crontab))
    }

    @Test("what no calendar has is refused", arguments: ["0s", "30s", "90s", "7m", "90m", "5h", "2d", "", "1w", "61m"])
    func others(_ argument: String) {
        #expect(UpdateInterval(argument: argument) == nil)
    }
}
