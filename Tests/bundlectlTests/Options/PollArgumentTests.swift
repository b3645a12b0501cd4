import Testing

@testable import bundlectl

struct PollArgumentTests {
    @Test(
        "a time of up to seven days is one, and none",
        arguments: [("1s", 1), ("15m", 900), ("7d", 604_800), ("none", nil)] as [(String, Int64?)]
    )
    func taken(_ text: String, _ seconds: Int64?) throws {
        #expect(try #require(PollArgument(argument: text)).seconds == seconds)
    }

    @Test("anything else isn't one", arguments: ["", "0s", "169h", "8d", "15", "off", "-1s", "1.5h"])
    func refused(_ text: String) {
        #expect(PollArgument(argument: text) == nil)
    }
}
