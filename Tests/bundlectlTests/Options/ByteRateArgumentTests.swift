import Testing

@testable import bundlectl

@Suite("ByteRateArgument")
struct ByteRateArgumentTests {
    @Test("a size, or off", arguments: [("1KB", 1_000), ("2MB", 2_000_000), ("off", nil)] as [(String, Int64?)])
    func values(_ text: String, _ byteCount: Int64?) throws {
        #expect(try #require(ByteRateArgument(argument: text)).byteCount == byteCount)
    }

    @Test("nothing else", arguments: ["", "0B", "none", "256", "-1MB", "OFF", "1KB/s"])
    func others(_ text: String) {
        #expect(ByteRateArgument(argument: text) == nil)
    }
}
