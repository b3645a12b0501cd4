import Testing

@testable import BundleModel

struct DurationTextTests {
    @Test(
        "a number of seconds has the largest unit that it is a multiple of, and is read back",
        arguments: [(1, "1s"), (90, "90s"), (900, "15m"), (3_600, "1h"), (5_400, "90m"), (604_800, "7d")]
            as [(Int64, String)]
    )
    func text(_ seconds: Int64, _ text: String) {
        #expect(DurationText.text(seconds) == text)
        #expect(DurationText.seconds(in: text) == seconds)
    }
}
