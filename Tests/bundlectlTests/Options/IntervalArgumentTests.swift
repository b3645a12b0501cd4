import Testing

@testable import bundlectl

struct IntervalArgumentTests {
    @Test("a duration, or off", arguments: [("60s", 60), ("10m", 600), ("off", nil)] as [(String, Int64?)])
    func values(_ text: String, _ seconds: Int64?) throws {
        let argument = try #require(IntervalArgument(argument: text))
        #expect(argument.interval == seconds.map { .seconds($0) })
        #expect(argument.defaultValueDescription == (seconds.map { "\($0)s" } ?? "off"))
    }

    @Test("nothing else", arguments: ["", "0s", "60", "never", "OFF", "-1s"])
    func others(_ text: String) {
        #expect(IntervalArgument(argument: text) == nil)
    }
}
