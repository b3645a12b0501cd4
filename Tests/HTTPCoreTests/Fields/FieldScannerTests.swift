import Testing

@testable import BundleServing
@testable import HTTPCore

@Suite("Field scanner (RFC 9110 §5.6)")
struct FieldScannerTests {
    @Test(
        "a number is read, and one that is too large becomes the largest",
        arguments: [
            ("0", 0), ("007", 7), ("9223372036854775807", Int.max), ("9223372036854775808", Int.max),
            ("18446744073709551616", Int.max), (String(repeating: "9", count: 5_000), Int.max),
        ]
    )
    func number(text: String, expected: Int) {
        var scanner = FieldScanner(text)
        let value = scanner.number()
        #expect(value == expected)
        #expect(scanner.isAtEnd)
    }

    @Test("anything but a number isn't consumed", arguments: ["", "-1", "x1", " 1", "٣"])
    func noNumber(text: String) {
        var scanner = FieldScanner(text)
        let value = scanner.number()
        #expect(value == nil)
        #expect(String(Substring(scanner.remainder)) == text)
    }

    @Test(
        "a quoted string loses its quotes and escapes (§5.6.4)",
        arguments: [(#""""#, ""), (#""a b""#, "a b"), (#""a\"b\\c""#, #"a"b\c"#), (#""é,;""#, "é,;"), (#""\é""#, "é")]
    )
    func quotedString(text: String, expected: String) {
        var scanner = FieldScanner(text)
        let value = scanner.quotedString()
        #expect(value == expected)
        #expect(scanner.isAtEnd)
    }

    @Test("a quoted string without an end isn't consumed", arguments: [#"""#, #""a"#, #""a\"#, #""a\""#, "a", ""])
    func noQuotedString(text: String) {
        var scanner = FieldScanner(text)
        let value = scanner.quotedString()
        #expect(value == nil)
        #expect(String(Substring(scanner.remainder)) == text)
    }

    @Test("skipping a member ends at its comma, not at one in quotes")
    func skipMember() {
        var scanner = FieldScanner(#"a"b,c"é, d"#)
        scanner.skipMember()
        #expect(String(Substring(scanner.remainder)) == ", d")
        let (hasNext, token, hasMore) = (scanner.nextMember(), scanner.token(), scanner.nextMember())
        #expect(hasNext)
        #expect(token.map { String(Substring($0)) } == "d")
        #expect(!hasMore)
    }

    @Test("skipping a member whose quotes never end skips everything")
    func skipUnterminated() {
        var scanner = FieldScanner(#"a"b,c"#)
        scanner.skipMember()
        #expect(scanner.isAtEnd)
    }
}
