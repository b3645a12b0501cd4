import Testing

@testable import bundlectl

@Suite("VariantQuotaArgument")
struct VariantQuotaArgumentTests {
    @Test("a size, or off", arguments: [("256MB", 256_000_000), ("off", nil)] as [(String, Int64?)])
    func values(_ text: String, _ byteCount: Int64?) throws {
        let argument = try #require(VariantQuotaArgument(argument: text))
        #expect(argument.byteCount == byteCount)
        #expect(argument.defaultValueDescription == text)
    }

    @Test("nothing else", arguments: ["", "0B", "none", "256", "-1MB", "OFF"])
    func others(_ text: String) {
        #expect(VariantQuotaArgument(argument: text) == nil)
    }
}
