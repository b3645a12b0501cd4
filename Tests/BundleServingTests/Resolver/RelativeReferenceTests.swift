import Foundation
import Testing

@testable import BundleServing

@Suite("A relative reference")
struct RelativeReferenceTests {
    private static let references = [
        ("/m", "/m/", "m/"), ("/shop/docs", "/shop/docs/?a=/b#c", "docs/?a=/b#c"), ("/m/x", "/m/", "./"),
        ("/x", "/", "./"),
        ("/m/a/b", "/", "../../"), ("/m/a/b", "/m/c/d", "../c/d"), ("/m/a/b", "/n", "../../n"),
        ("/m/x", "/m/x?y", "x?y"),
        ("/m/", "/m/x", "x"), ("/m/a", "/m/a/b/c", "a/b/c"), ("/", "/?q=1", "./?q=1"), ("/a:b", "/a:b/", "./a:b/"),
        ("/m/x", "/m/%2F:/", "./%2F:/"), ("/mm/x", "/m/x", "../m/x"),
    ]

    @Test("leads from one path to another (RFC 3986 §4.2)", arguments: references)
    func reference(_ path: String, _ target: String, _ expected: String) {
        #expect(RelativeReference.from(path, to: target) == expected)
    }

    @Test("leads there below any path that a proxy removes (RFC 3986 §5.2)", arguments: references)
    func resolved(_ path: String, _ target: String, _: String) {
        for base in ["", "/kiosk", "/a/b"] {
            let url = URL(string: "https://a.example\(base)\(path)?x")
            let reference = RelativeReference.from(path, to: target)
            #expect(URL(string: reference, relativeTo: url)?.absoluteString == "https://a.example\(base)\(target)")
        }
    }

    @Test(
        "isn't made of what is no path, or has an empty component",
        arguments: ["https://a.example/x", "//evil.example/x", "/m//x", "x", ""]
    )
    func others(_ target: String) {
        #expect(RelativeReference.from("/m/x", to: target) == target)
    }
}
