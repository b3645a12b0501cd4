import Testing

@testable import BundleModel

@Suite("BundleName")
struct BundleNameTests {
    @Test("a name is valid", arguments: ["a", "0", "shop", "shop-2.beta_1", "a..b", String(repeating: "x", count: 64)])
    func acceptance(_ text: String) throws {
        #expect(try #require(BundleName(text)).string == text)
    }

    @Test(
        "text that isn't a name is refused",
        arguments: [
            "", "Shop", ".", "..", "-a", "_a", ".a", "a/b", "a b", "a\\b", "a\0", "a\n", "é", "a\u{301}", "a@1",
            String(repeating: "x", count: 65),
        ]
    )
    func refusal(_ text: String) {
        #expect(BundleName(text) == nil)
    }

    @Test("a literal is a name, and one that can't be ends the process")
    func literal() async {
        #expect(BundleName("shop").string == "shop")
        await #expect(processExitsWith: .failure) { _ = BundleName("Shop") }
    }

    @Test("names are ordered by their bytes")
    func order() {
        let names: [BundleName] = ["b", "a-b", "a", "a.b", "0"]
        #expect(names.sorted().map(\.string) == ["0", "a", "a-b", "a.b", "b"])
    }
}
