import BundleModel
import BundleWebKit
import OfflineBundles
import Testing

@Suite("URLs of the scheme bundle")
struct BundleSchemeURLTests {
    static let mappings = [
        OriginMapping(origin: try! OriginURL("https://cdn.example/files/"), folder: try! BundlePath("assets")),
        OriginMapping(origin: try! OriginURL("https://m.example.com/shop/")),
    ]

    @Test(
        "a URL stands for one of the bundle's origin",
        arguments: [
            ("bundle://shop", "https://m.example.com/shop/"), ("bundle://shop/", "https://m.example.com/shop/"),
            ("bundle://shop/a/b.js?c=d#e", "https://m.example.com/shop/a/b.js?c=d"),
            ("bundle://shop?c=d", "https://m.example.com/shop/?c=d"),
            ("BUNDLE://shop/x", "https://m.example.com/shop/x"),
            ("bundle://shop/assets/x.js", "https://cdn.example/files/x.js"),
            ("https://shop/x", nil), ("bundle:///x", nil), ("bundle://../x", nil), ("bundle://a:b@shop/x", nil),
            ("", nil),
        ]
    )
    func origin(_ url: String, _ expected: String?) {
        #expect(BundleSchemeURL(url).flatMap { $0.url(in: Self.mappings) } == expected)
    }

    @Test("an app's own scheme is taken in any case, and no other")
    func ownScheme() throws {
        let url = try #require(BundleSchemeURL("Shop-App://shop/a?b", scheme: "shop-app"))
        #expect(url.url(in: Self.mappings) == "https://m.example.com/shop/a?b")
        #expect(url.location("https://m.example.com/shop/b", in: Self.mappings) == "shop-app://shop/b")
        #expect(BundleSchemeURL("bundle://shop/a", scheme: "shop-app") == nil)
    }

    @Test("a redirect within the bundle stays in the scheme, and one that leads elsewhere doesn't")
    func location() throws {
        let url = try #require(BundleSchemeURL("bundle://shop/a"))
        #expect(url.location("https://m.example.com/shop/b/?c", in: Self.mappings) == "bundle://shop/b/?c")
        #expect(url.location("https://cdn.example/files/x", in: Self.mappings) == "bundle://shop/assets/x")
        #expect(url.location("https://m.example.com/other", in: Self.mappings) == "https://m.example.com/other")
        #expect(url.location("b/", in: Self.mappings) == "b/")
    }
}
