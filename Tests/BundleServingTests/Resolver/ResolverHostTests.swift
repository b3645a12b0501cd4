import BundleStore
import BundleTesting
import Testing

@testable import BundleServing
@testable import HTTPCore

@Suite("Hosts in the resolver")
struct ResolverHostTests {
    @Test(
        "a bundle's own host serves only that bundle, from its root",
        arguments: [
            ("/a.js", "shop.localhost:8080", "a.js"), ("/a.js", "SHOP.localhost", "a.js"),
            ("/", "shop.localhost", "index.html"),
            ("/folder", "shop.localhost", "-> /folder/"), ("/shop/a.js", "shop.localhost", "missing"),
            ("/docs/b.js", "shop.localhost", "missing"), ("/b.js", "n--my-ddocs.localhost", "b.js"),
            ("/a.js", "shop.example:80", "a.js"), ("/docs/b.js", "shop.example", "missing"),
            // The names under localhost belong to bundles, not to a bundle that claims them as an origin.
            ("/own/c.js", "dev.localhost", nil), ("/a.js", "nothing.localhost", nil),
            ("/shop/a.js", "nothing.localhost", nil),
            // An absolute URL with any port doesn't change that.
            ("http://shop.localhost/a.js", "shop.localhost", "a.js"), ("http://shop.localhost/c.js", nil, "missing"),
            ("http://shop.localhost:9/a.js", "other.localhost", "a.js"), ("http://shop.example/a.js", nil, "a.js"),
            ("http://shop.example/e.js", nil, "missing"), ("http://dev.localhost/own/c.js", nil, nil),
            ("/a.js", "x.shop.localhost", nil), ("/c.js", "shop.localhost", "missing"),
        ] as [(String, String?, String?)]
    )
    func own(_ target: String, _ host: String?, _ expected: String?) async throws {
        try await withResolver { #expect($0.outcome(target, host: host) == expected) }
    }

    @Test(
        "/NAME/ is served on this machine, and elsewhere, even on hosts of origins, only if origins are shared",
        arguments: [
            ("127.0.0.1:8080", "a.js", "a.js"), ("localhost", "a.js", "a.js"), ("[::1]", "a.js", "a.js"),
            (nil, "a.js", "a.js"),
            ("kiosk.example", nil, "a.js"), ("192.168.1.5:8080", nil, "a.js"), ("m.example.com:8080", nil, "a.js"),
            ("other.example", nil, "a.js"),
        ] as [(String?, String?, String?)]
    )
    func names(_ host: String?, _ apart: String?, _ shared: String?) async throws {
        try await withResolver { #expect($0.outcome("/shop/a.js", host: host) == apart) }
        try await withResolver(shared: true) { #expect($0.outcome("/shop/a.js", host: host) == shared) }
    }

    @Test(
        "where browsers may open pages, and where several bundles may have some",
        arguments: [
            ("/a.js", "shop.localhost", [], true, false), ("/shop/a.js", "localhost:80", [], false, true),
            ("/shop/a.js", "m.example.com", [], true, false), ("/m/a.js", "localhost", ["shop=/m"], true, false),
            ("/m/a.js", "kiosk.example", ["shop=/m"], true, false),
            ("/m/a.js", "kiosk.example", ["shop=/m", "my.docs=/d"], true, true),
            ("/m/a.js", "other.example", ["shop=/m"], true, true), ("/own/c.js", "localhost:9999", [], false, true),
            ("/shop/a.js", "m.example.com", ["my.docs=/d"], true, true),
            ("/shop/a.js", "localhost", ["my.docs=/d"], false, true), ("/a.js", "localhost", ["shop=/"], true, false),
            ("/a.js", "localhost", ["shop=/", "my.docs=/d"], true, true),
            ("/shop/a.js", "localhost", ["shop=/"], true, false),
            ("/a.js", "kiosk.example", ["shop=/"], true, false),
        ] as [(String, String, [String], Bool, Bool)]
    )
    func pages(_ target: String, _ host: String, _ mounts: [String], _ isForPages: Bool, _ sharesHost: Bool)
        async throws
    {
        try await withResolver(mounts: mounts) { resolver in
            let request = try #require(RequestTarget(target, host: host))
            let match = try #require(resolver.match(request, isNavigation: false))
            #expect(match.isForPages == isForPages)
            #expect(match.sharesHost == sharesHost)
        }
    }

    @Test(
        "on which hosts pages of a bundle may be",
        arguments: [
            ("shop", "shop.localhost:80", [], true), ("shop", "n--my-ddocs.localhost", [], false),
            ("shop", "shop.example", [], true), ("my.docs", "shop.example", [], false),
            ("shop", "localhost", [], true), ("my.docs", "127.0.0.1:8080", [], true), ("shop", nil, [], true),
            // Names aren't served beside a mount at the root; other hosts are what they were.
            ("shop", "localhost", ["my.docs=/"], false), ("my.docs", "localhost", ["my.docs=/"], true),
            ("shop", "shop.example", ["my.docs=/"], true), ("shop", "shop.localhost", ["my.docs=/"], true),
        ] as [(String, String?, [String], Bool)]
    )
    func hasPages(_ name: String, _ host: String?, _ mounts: [String], _ expected: Bool) async throws {
        try await withResolver(mounts: mounts) { resolver in
            let bundle = try #require(BundleName(name))
            #expect(resolver.hasPages(of: bundle, at: host) == expected)
        }
    }

    @Test(
        "on the endpoint's own hosts mounts take precedence over mapped origins, and only they have pages",
        arguments: [
            ("/a.js", ["shop=/"], "a.js", true, false), ("/e.js", ["shop=/"], "missing", true, false),
            ("/m/a.js", ["shop=/m"], "a.js", true, false), ("/e.js", ["shop=/m"], "e.js", false, true),
            ("/e.js", ["evil=/m"], "e.js", true, false), ("/e.js", [], "e.js", true, false),
        ] as [(String, [String], String, Bool, Bool)]
    )
    func endpointHosts(
        _ target: String,
        _ mounts: [String],
        _ outcome: String,
        _ isForPages: Bool,
        _ sharesHost: Bool
    ) async throws {
        try await withResolver(mounts: mounts) { resolver in
            let request = try #require(RequestTarget(target, host: "front.example"))
            #expect(resolver.outcome(request) == outcome)
            let match = try #require(resolver.match(request, isNavigation: false))
            #expect(match.isForPages == isForPages)
            #expect(match.sharesHost == sharesHost)
        }
    }

    @Test(
        "the address at which a resource opens keeps path, query and port",
        arguments: [
            ("/shop/", "localhost", "//shop.localhost/"), ("/shop", "127.0.0.1:8080", "//shop.localhost:8080/"),
            ("/shop/folder/?q=/x", "[::1]:1", "//shop.localhost:1/folder/?q=/x"),
            ("/shop/a%20b;c", "localhost", "//shop.localhost/a%20b;c"),
            ("/my.docs/b.js", "localhost", "//n--my-ddocs.localhost/b.js"),
            ("/own/x", "localhost:9999", "//claimed.localhost:9999/sub/x"),
            // Otherwise it would mean the browser's own machine.
            ("/shop/", "front.example", nil), ("/shop/", "192.168.1.5:8080", nil),
        ] as [(String, String, String?)]
    )
    func ownAddress(_ target: String, _ host: String, _ expected: String?) async throws {
        try await withResolver(mounts: ["shop=/shop"]) { resolver in
            let request = try #require(RequestTarget(target, host: host))
            let match = try #require(resolver.match(request, isNavigation: true))
            #expect(match.ownAddress == expected)
        }
    }

    @Test(
        "why no bundle covers an address",
        arguments: [
            ("/", "gone.localhost", .vacantHost), ("/", "n--gone-d1.localhost:80", .vacantHost),
            ("/", "gone.example", .vacantHost),
            ("/", "staged.localhost", .unavailable), ("/", "x.gone.localhost", .unavailable),
            ("/nothing/", "localhost", .nobody),
            ("/shop/", "kiosk.example", .unshared("shop")), ("/nothing/", "kiosk.example", .nobody),
            ("/nothing/", "m.example.com", .unavailable), ("/evil/", "m.example.com", .unshared("evil")),
            ("/staged/", "localhost", .unavailable),
            ("http://gone.localhost/", nil, .unavailable),
        ] as [(String, String?, ExpectedAbsence)]
    )
    func absence(_ target: String, _ host: String?, _ expected: ExpectedAbsence) async throws {
        try await withResolver { resolver in
            let target = try #require(RequestTarget(target, host: host))
            #expect(resolver.match(target, isNavigation: true) == nil)
            #expect(try resolver.absence(of: target) == expected.absence)
        }
    }

    @Test("a URL of the endpoint is a path on the bundle's own host, any other stays a URL")
    func received() throws {
        let addresses = BundleAddresses(hosts: [try #require(BundleHost("shop=shop.example"))])
        for (url, isPath) in [
            ("http://shop.localhost:8080/a?b", true), ("https://shop.example/a?b", true),
            ("https://m.example.com/a?b", false),
        ] {
            let target = try #require(RequestTarget(url: url)).received(with: addresses)
            #expect((target.scheme == nil) == isPath)
            #expect(target.path + target.query == "/a?b")
        }
    }

    /// ``Absence`` for a table.
    enum ExpectedAbsence: Sendable {
        case nobody, unavailable, vacantHost, unshared(String)

        var absence: Absence {
            get throws {
                switch self {
                case .nobody: .nobody
                case .unavailable: .unavailable
                case .vacantHost: .vacantHost
                case .unshared(let name): .unshared(try #require(BundleName(name)))
                }
            }
        }
    }

    private func withResolver(
        mounts: [String] = [],
        shared: Bool = false,
        _ body: (ResourceResolver) throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ResolverFixture(in: directory)
            try fixture.install(files: ["index.html", "a.js", "folder/index.html"])
            try fixture.install("my.docs", origins: [("https://other.example/docs/", "/")], files: ["b.js"])
            let claims = [
                ("http://localhost:9999/own/", "/sub/"), ("http://dev.localhost/own/", "/"),
                ("http://shop.localhost/", "/"),
            ]
            try fixture.install("claimed", origins: claims, files: ["sub/c.js", "c.js"])
            let taken = ["http://m.example.com:9/", "http://front.example/", "http://shop.example/"].map { ($0, "/") }
            try fixture.install("evil", origins: taken, files: ["e.js"])
            try fixture.install("staged", origins: [], files: ["a.js"], activating: false)
            var addresses = BundleAddresses(
                mounts: mounts.compactMap(Mount.init),
                hosts: ["shop=shop.example", "gone=gone.example"].compactMap(BundleHost.init),
                sharesOrigin: shared
            )
            addresses.endpointHosts = ["front.example"]
            try body(ResourceResolver(fixture.store.snapshot, addresses: addresses))
        }
    }
}
