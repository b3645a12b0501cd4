import BundleStore
import BundleTesting
import Foundation
import Testing

@testable import BundleServing
@testable import HTTPCore

@Suite("References in an origin's responses")
struct OwnReferenceTests {
    private static let origins = #"""
        "origins": [
            {"url": "https://www.example.com/shop/", "path": "/"},
            {"url": "https://cdn.example/img/", "path": "/pictures/"},
            {"url": "https://m.example.com/shop/", "path": "/"},
            {"url": "https://api.example/", "path": "/api/"}
        ]
        """#

    private func match(_ path: String, host: String?, _ body: (ResourceMatch) -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let store = try BundleStore(at: directory.path, creating: true)
            try store.install(.sample("shop", "1", Self.origins), files: ["index.html": ""])
            let addresses = BundleAddresses(mounts: [Mount("shop=/kiosk/m")].compactMap { $0 })
            let resolver = ResourceResolver(store.snapshot, addresses: addresses)
            let target = try #require(RequestTarget(path, host: host))
            body(try #require(resolver.match(target, isNavigation: false)))
        }
    }

    private static let www = "https://www.example.com/shop"

    @Test(
        "lead to this server where the origin's lead into a mapped origin",
        arguments: [
            ("\(www)/login", "/login"), ("\(www)/", "/"), ("\(www)", "/"), ("\(www)/a/?q=1&r#f", "/a/?q=1&r#f"),
            ("HTTPS://WWW.Example.com:443/shop/a", "/a"), ("//www.example.com/shop/b", "/b"),
            ("/shop/c", "/c"), ("d?e", "/x/d?e"), ("../f", "/f"), ("./", "/x/"),
            ("../../other", "https://www.example.com/other"),
            ("/other/g", "https://www.example.com/other/g"), ("/", "https://www.example.com/"),
            ("https://cdn.example/img/a%20b.png", "/pictures/a%20b.png"),
            ("https://cdn.example/js/a.js", "https://cdn.example/js/a.js"),
            ("https://api.example/v1/", "/api/v1/"), ("https://api.example", "/api/"),
            // The other origin of the same folder, which the path wouldn't lead to: it would be asked in circles.
            ("https://m.example.com/shop/a", "https://m.example.com/shop/a"),
            // Below a deeper folder's mapping, whose origin the path would lead to.
            ("\(www)/pictures/a", "\(www)/pictures/a"), ("/shop/api/a", "\(www)/api/a"),
            ("http://www.example.com/shop/a", "http://www.example.com/shop/a"),
            ("https://other.example/", "https://other.example/"),
            ("\(www)/..;/a", "\(www)/..;/a"), ("\(www)//a", "\(www)//a"), ("\(www)/a%2Fb", "\(www)/a%2Fb"),
            ("?q", "?q"), ("#f", "#f"), ("", ""), ("mailto:a@example.com", "mailto:a@example.com"),
            ("javascript:alert(1)", "javascript:alert(1)"),
            ("https://u:p@www.example.com/shop/", "https://u:p@www.example.com/shop/"),
            ("\(www)/a b", "\(www)/a b"), ("\(www)/é", "\(www)/é"),
        ]
    )
    func mapped(_ reference: String, _ expected: String) async throws {
        try await match("/x/y", host: "shop.localhost:8080") { match in
            let own = match.ownReference(for: reference, from: "https://www.example.com/shop/x/y")
            #expect(expected.hasPrefix("/") ? Self.path(own, from: "/x/y") == expected : own == expected)
        }
    }

    /// Where a client gets that has asked for `path`; nil for a reference that isn't relative to that.
    private static func path(_ reference: String, from path: String) -> String? {
        guard !reference.hasPrefix("/"), let base = URL(string: "http://own.test\(path)") else { return nil }
        let url = URL(string: reference, relativeTo: base)?.absoluteString ?? ""
        return url.hasPrefix("http://own.test/") ? String(url.dropFirst("http://own.test".count)) : nil
    }

    @Test(
        "lead to the path at which the bundle was asked for",
        arguments: [
            ("/shop/x", "localhost:8080", "/shop/a/?q"), ("/kiosk/m/x", "kiosk.example", "/kiosk/m/a/?q"),
            ("/x", "shop.localhost", "/a/?q"),
        ]
    )
    func places(_ path: String, _ host: String, _ expected: String) async throws {
        try await match(path, host: host) { match in
            for reference in ["\(Self.www)/a/?q", "/shop/a/?q"] {
                #expect(Self.path(match.ownReference(for: reference, from: "\(Self.www)/x"), from: path) == expected)
            }
        }
    }

    @Test(
        "stay as they are for a client that asks by the origin's own URL, unless a rule asks elsewhere",
        arguments: [
            ("https://www.example.com/shop/a", "https://www.example.com/shop/x", "https://www.example.com/shop/a"),
            ("/shop/a", "https://www.example.com/shop/x", "/shop/a"),
            ("a", "https://cdn.example/img/x", "https://cdn.example/img/a"),
            ("https://cdn.example/img/a", "https://cdn.example/img/x", "https://cdn.example/img/a"),
        ]
    )
    func byOrigin(_ reference: String, _ url: String, _ expected: String) async throws {
        try await match("/shop/x", host: "www.example.com") { match in
            #expect(match.ownReference(for: reference, from: url) == expected)
        }
    }
}
