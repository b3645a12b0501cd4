import Testing

@testable import BundleModel

@Suite("Printable")
struct PrintableTests {
    @Test(
        "characters that a terminal would interpret are escaped",
        arguments: [
            ("shop", "shop"), ("a b", "a b"), ("é日", "é日"), ("\u{1B}[2J", "\\u{1b}[2J"), ("a\nb", "a\\u{a}b"),
            ("\u{202E}x", "\\u{202e}x"), ("\u{9B}", "\\u{9b}"), ("\0", "\\u{0}"),
        ]
    )
    func escaping(_ text: String, _ expected: String) {
        #expect(Printable.text(text) == expected)
    }

    @Test("a long text is truncated after 200 characters")
    func cutting() {
        #expect(Printable.text(String(repeating: "a", count: 200)).count == 200)
        #expect(Printable.text(String(repeating: "a", count: 201)) == String(repeating: "a", count: 200) + "…")
    }
}
