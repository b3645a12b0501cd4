import Testing

@testable import BundleModel

struct ExactStringTests {
    @Test(
        "texts that String takes for equal are different ones",
        arguments: [("\u{E9}", "e\u{301}"), ("K", "\u{212A}")]
    )
    func equality(_ left: String, _ right: String) {
        #expect(left == right)
        #expect(ExactString(left) != ExactString(right))
        #expect(Set([ExactString(left), ExactString(right), ExactString(left)]).count == 2)
    }

    @Test("the order is that of code points, and not that of UTF-16")
    func order() {
        let texts: [ExactString] = ["", "A", "a", "a\0", "aa", "e\u{301}", "\u{E9}", "\u{FFFF}", "\u{1F600}"]
        #expect(texts.shuffled().sorted() == texts)
    }
}
