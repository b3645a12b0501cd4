import HTTPTypes
import Testing

@testable import BundleServing
@testable import HTTPCore

@Suite("What a client prefers (RFC 9110 §12.5)")
struct NegotiationFieldTests {
    private func read(_ name: HTTPField.Name, _ lines: String...) -> NegotiationField? {
        NegotiationField(name, of: HTTPFields(lines.map { HTTPField(name: name, value: $0) }))
    }

    @Test("members are read with their weights, from all lines, and sorted")
    func members() throws {
        let field = try #require(read(.acceptLanguage, "fr;q=0.5, DE", "*; q=0"))
        #expect(field.members.map { String(decoding: $0.name, as: UTF8.self) } == ["*", "de", "fr"])
        #expect(field.members.map(\.weight) == [0, 1_000, 500])
        #expect(read(.acceptLanguage)?.members == [] && read(.acceptLanguage, ", ,")?.members == [])
    }

    @Test(
        "a malformed value isn't read, and neither is another field",
        arguments: [
            "de;q=2", "de;q=0.1234", "de;q", "de;q=", "de;q=0.5;x=1", "de fr", "d\u{e9}", "de;", "\"de\"", "de/",
        ]
    )
    func malformed(value: String) {
        #expect(read(.acceptLanguage, "en", value) == nil || value == "de;")
        #expect(read(.accept, value) == nil)
        #expect(read(.userAgent, "de") == nil)
    }

    @Test(
        "the favourite is the one member with the highest weight",
        arguments: [
            ("de", "de"), ("de, en;q=0.9", "de"), ("fr;q=0.5, De;q=1.0", "de"), ("*;q=0.1, de", "de"), ("de, en", nil),
            ("*", nil), ("de;q=0", nil), ("", nil), ("*, de;q=0.5", nil), ("de-*", nil),
        ]
    )
    func favourite(value: String, expected: String?) {
        #expect(read(.acceptLanguage, value)?.favourite == expected.map { Array($0.utf8) })
    }
}
