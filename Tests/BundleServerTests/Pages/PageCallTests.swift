import BundleStore
import HTTPTypes
import Testing

@testable import BundleServer

@Suite("Calls of pages")
struct PageCallTests {
    @Test(
        "are below /.bundles/",
        arguments: [
            ("/.bundles/shop", .state), ("/.bundles/shop?x=/good", .state), ("/.bundles/shop/good", .good),
            ("/.bundles/shop/bad?now", .bad), ("/.bundles/shop/events", .events), ("/.bundles/shop/update", .update),
            ("/.bundles/shop/activate?page=1", .activate),
        ] as [(String, PageCall.Action)]
    )
    func calls(_ target: String, _ action: PageCall.Action) throws {
        let call = try #require(PageCall(target))
        #expect((call.name.string, call.action) == ("shop", action))
    }

    @Test(
        "name the version of the page",
        arguments: [
            ("/.bundles/shop", nil), ("/.bundles/shop?", nil), ("/.bundles/shop?page", nil),
            ("/.bundles/shop?homepage=1", nil), ("/.bundles/shop?page=1.0.0", "1.0.0"),
            ("/.bundles/shop/good?x&page=1.0.0%2B5&page=2", "1.0.0+5"), ("/.bundles/shop?page=", ""),
            ("/.bundles/shop?page=%", ""), ("/.bundles/shop?page=1?page=2", "1?page=2"),
        ] as [(String, String?)]
    )
    func page(_ target: String, _ page: String?) throws {
        #expect(try #require(PageCall(target)).page == page)
    }

    @Test(
        "are nothing else",
        arguments: [
            nil, "", "/", "*", "/.bundles", "/.bundles/", "/.bundles//good", "/.bundles/shop/", "/.bundles/shop/best",
            "/.bundles/Shop", "/.bundles/shop/good/", "/.bundles/shop/good/x", "/.bundles/sh%6Fp", "/.Bundles/shop",
            "/x/.bundles/shop", "//.bundles/shop", "/.bundles/../shop", "/.bundles/\u{0}", "http://a/.bundles/shop",
        ] as [String?]
    )
    func others(_ target: String?) {
        #expect(PageCall(target) == nil)
    }

    @Test(
        "are of the same origin",
        arguments: [
            (["Sec-Fetch-Site": "same-origin"], true, true), (["Sec-Fetch-Site": "none"], false, true),
            (["Sec-Fetch-Site": "same-site"], false, false), (["Sec-Fetch-Site": "cross-site"], false, false),
            (["Sec-Fetch-Site": "x y"], false, false), (["Sec-Fetch-Site": ""], false, false),
            (["Sec-Fetch-Site": "cross-site", "Origin": "http://shop.localhost:8080"], false, false),
            (["Origin": "http://shop.localhost:8080"], true, true),
            (["Origin": "http://SHOP.localhost:8080"], true, true),
            (["Origin": "http://shop.localhost"], false, false),
            (["Origin": "http://news.localhost:8080"], false, false),
            (["Origin": "null"], false, false), (["Origin": ""], false, false), ([:], true, true),
        ] as [([String: String], Bool, Bool)]
    )
    func origin(_ fields: [String: String], _ isSame: Bool, _ maybeTyped: Bool) throws {
        var request = HTTPRequest(
            method: .post,
            scheme: nil,
            authority: "shop.localhost:8080",
            path: "/.bundles/shop/good"
        )
        for (name, value) in fields { request.headerFields[try #require(HTTPField.Name(name))] = value }
        #expect(PageOrigin.isSame(request, mayBeTyped: false) == isSame)
        #expect(PageOrigin.isSame(request, mayBeTyped: true) == maybeTyped)
    }
}
