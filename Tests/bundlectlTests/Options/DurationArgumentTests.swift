import Testing

@testable import bundlectl

struct DurationArgumentTests {
    @Test(
        "a number and a unit is a duration",
        arguments: [("0s", 0), ("90s", 90), ("15m", 900), ("6h", 21_600), ("1d", 86_400), ("365d", 31_536_000)]
    )
    func taken(_ text: String, _ seconds: Int) {
        #expect(DurationArgument(argument: text)?.duration == .seconds(seconds))
    }

    @Test(
        "anything else isn't one",
        arguments: [
            "", "s", "5", "-5s", "+5s", "1.5h", "5 m", "5M", "5w", "366d", "8761h", "99999999999999999999s", "٣s",
            "5m30s",
        ]
    )
    func refused(_ text: String) {
        #expect(DurationArgument(argument: text) == nil)
    }
}
