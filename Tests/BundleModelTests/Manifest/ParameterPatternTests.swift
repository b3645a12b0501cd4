import Testing

@testable import BundleModel

@Suite("Patterns of query parameters")
struct ParameterPatternTests {
    @Test(
        "a pattern covers one name, or with an asterisk all that begin like it",
        arguments: [
            ("fbclid", "fbclid", true), ("fbclid", "fbclid2", false), ("fbclid", "FBCLID", false),
            ("utm_*", "utm_source", true), ("utm_*", "utm_", true), ("utm_*", "utm", false), ("utm_*", "xutm_", false),
            ("*", "anything", true), ("*", "", true), ("a.b[]", "a.b[]", true), ("a.b[]", "aXb[]", false),
        ]
    )
    func matching(pattern: String, name: String, isMeant: Bool) throws {
        #expect(try #require(ParameterPattern(pattern)).matches(name.utf8) == isMeant)
    }

    @Test(
        "what could never be the name of a parameter is refused",
        arguments: ["", "*a", "a*b", "a**", "a b", "a&b", "a=b", "a#b", "a%b", "a+b", "é", "a\u{7F}", "a\n"]
    )
    func malformed(pattern: String) {
        #expect(ParameterPattern(pattern) == nil)
    }

    @Test("a pattern has at most 64 bytes")
    func length() {
        #expect(ParameterPattern(String(repeating: "a", count: 64)) != nil)
        #expect(ParameterPattern(String(repeating: "a", count: 65)) == nil)
    }
}
