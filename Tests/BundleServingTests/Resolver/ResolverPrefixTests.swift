import BundleServing
import BundleStore
import BundleTesting
import Testing

@Suite("Which bundle covers a URL")
struct ResolverPrefixTests {
    @Test("the longest origin prefix wins, by whole components")
    func longestPrefix() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ResolverFixture(in: directory)
            try fixture.install(
                "root",
                origins: [("https://m.example.com/", "/")],
                files: ["root.js", "shopping/a.js"]
            )
            try fixture.install("shop", origins: [("https://m.example.com/shop/", "/")], files: ["shop.js"])
            try fixture.install("deep", origins: [("https://m.example.com/shop/a/b/", "/")], files: ["deep.js"])
            let resolver = fixture.resolver()
            let table = [
                "root.js": "root.js", "shop/shop.js": "shop.js", "shop/a/b/deep.js": "deep.js",
                "shopping/a.js": "shopping/a.js", "shop.js": "missing", "shop/root.js": "missing",
                "shop/a/deep.js": "missing", "shop/a/bc/deep.js": "missing", "SHOP/shop.js": "missing",
            ]
            for (path, expected) in table {
                #expect(resolver.outcome("https://m.example.com/\(path)") == expected, "\(path)")
            }
        }
    }

    @Test("a bundle may be mapped to several origins, each with its folder")
    func severalOrigins() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ResolverFixture(in: directory)
            try fixture.install(
                origins: [
                    ("https://m.example.com/shop/", "/"), ("https://cdn.example.com/", "/assets/"),
                    ("http://m.example.com:8080/x/", "/assets/img"),
                ],
                files: ["index.html", "assets/app.js", "assets/index.html", "assets/img/a.png"]
            )
            let resolver = fixture.resolver()
            let table: [String: String?] = [
                "https://m.example.com/shop/": "index.html",
                "https://m.example.com/shop/assets/app.js": "assets/app.js",
                "https://cdn.example.com/app.js": "assets/app.js",
                "https://cdn.example.com/": "assets/index.html",
                "https://cdn.example.com": "assets/index.html",
                "https://cdn.example.com/index.html": "assets/index.html",
                "https://cdn.example.com/assets/app.js": "missing",
                "http://m.example.com:8080/x/a.png": "assets/img/a.png",
                "http://m.example.com:8080/a.png": nil,
                "http://m.example.com/x/a.png": nil,
                "http://cdn.example.com/app.js": nil,
                "https://cdn.example.com.evil.example/app.js": nil,
                "https://other.example.com/shop/": nil,
            ]
            for (url, expected) in table { #expect(resolver.outcome(url) == expected, "\(url)") }
        }
    }

    @Test("a host without a scheme matches the origins of both schemes, and the longest prefix wins among them")
    func byHost() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ResolverFixture(in: directory)
            try fixture.install("root", origins: [("https://m.example.com/", "/")], files: ["a.js"])
            try fixture.install("shop", origins: [("http://m.example.com/shop/", "/")], files: ["b.js"])
            let resolver = fixture.resolver()
            #expect(resolver.outcome("/a.js", host: "M.EXAMPLE.com") == "a.js")
            #expect(resolver.outcome("/shop/b.js", host: "m.example.com:80") == "b.js")
            #expect(resolver.outcome("https://m.example.com/shop/b.js") == "missing")
            #expect(resolver.outcome("http://m.example.com/a.js") == nil)
        }
    }

    @Test(
        "where no origin of the host covers the path, mounts are served; under one at the root no names"
    )
    func mounts() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ResolverFixture(in: directory)
            try fixture.install(files: ["index.html", "a.js"])
            try fixture.install("docs", origins: [], files: ["index.html", "b.js"])
            let resolver = fixture.resolver(mounts: ["docs=/", "shop=/apps/store"])
            let table: [(target: String, host: String?, expected: String?)] = [
                ("/shop/a.js", "127.0.0.1:8080", "missing"), ("/shop/a.js", nil, "missing"),
                ("/apps/store/a.js", "localhost", "a.js"), ("/apps/store", "localhost", "-> /apps/store/"),
                ("/apps/a.js", "localhost", "missing"), ("/b.js", "localhost", "b.js"), ("/", nil, "index.html"),
                ("/docs/b.js", "localhost", "missing"), ("/shopping/a.js", "localhost", "missing"),
                // Origins take precedence on their host, which may be the endpoint's own address.
                ("/shop/a.js", "m.example.com", "a.js"), ("/b.js", "m.example.com", "b.js"),
                ("/apps/store/a.js", "m.example.com", "a.js"),
                // An absolute URL matches only origins: a foreign site isn't covered, whatever its path.
                ("http://elsewhere.example/shop/a.js", "localhost", nil),
                ("https://m.example.com/shop/a.js", "localhost", "a.js"),
            ]
            for (target, host, expected) in table {
                #expect(resolver.outcome(target, host: host) == expected, "\(target) at \(host ?? "no host")")
            }
        }
    }

    @Test("a mount takes precedence over another bundle's name, and an unknown name isn't covered")
    func mountConflicts() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ResolverFixture(in: directory)
            try fixture.install("shop", origins: [], files: ["a.js"])
            try fixture.install("docs", origins: [], files: ["b.js"])
            let resolver = fixture.resolver(mounts: ["docs=/shop", "absent=/x"])
            #expect(resolver.outcome("/shop/b.js", host: nil) == "b.js")
            #expect(resolver.outcome("/x/b.js", host: nil) == nil)
            #expect(fixture.resolver().outcome("/b.js", host: nil) == nil)
        }
    }

    @Test("a bundle without an active version isn't served")
    func inactive() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ResolverFixture(in: directory)
            try fixture.install(files: ["index.html"], activating: false)
            #expect(fixture.resolver().outcome("https://m.example.com/shop/") == nil)
            #expect(fixture.resolver().outcome("/shop/", host: nil) == nil)
        }
    }

    @Test(
        "the URL of a path on the network",
        arguments: [
            ("https://m.example.com/shop/x.js", "https://m.example.com/shop/x.js"),
            ("HTTPS://M.example.com:443/shop/a%20b/%C3%A9?q=%2F&r", "https://m.example.com/shop/a%20b/%C3%A9?q=%2F&r"),
            ("https://m.example.com/shop", "https://m.example.com/shop/"),
            ("https://m.example.com/shop/?a", "https://m.example.com/shop/?a"),
            ("https://m.example.com/shop/x/", "https://m.example.com/shop/x/"),
            ("https://cdn.example.com/x.js#top", "https://cdn.example.com/x.js"),
            ("/shop/x.js", "https://m.example.com/shop/x.js"),
            ("/shop/", "https://m.example.com/shop/"),
            ("/shop/?q", "https://m.example.com/shop/?q"),
            ("/shop/assets/x%2Bz.js?v=1", "https://cdn.example.com/x%2Bz.js?v=1"),
            ("/shop/assets/", "https://cdn.example.com/"),
            ("/shop/assets", "https://cdn.example.com/"),
            ("/shop/assets/y/", "https://cdn.example.com/y/"),
            ("/shop/assets2/y", "https://m.example.com/shop/assets2/y"),
            // Characters that a URL can't have are encoded; encoded ones aren't encoded again.
            (
                "/shop/a%20b|c?d=[1]{%20}&%&%4&%zz",
                "https://m.example.com/shop/a%20b%7Cc?d=%5B1%5D%7B%20%7D&%25&%254&%25zz"
            ),
            ("/shop/caf\u{E9}%20?\u{E9}", "https://m.example.com/shop/caf%C3%A9%20?%C3%A9"),
        ]
    )
    func originURL(target: String, expected: String) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ResolverFixture(in: directory)
            try fixture.install(
                origins: [("https://m.example.com/shop/", "/"), ("https://cdn.example.com/", "/assets/")],
                files: ["a.js"]
            )
            let request = try #require(RequestTarget(target, host: "localhost"))
            #expect(fixture.resolver().match(request, isNavigation: false)?.originURL == expected)
        }
    }

    @Test("a path that no origin covers has no URL on the network")
    func noOrigin() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ResolverFixture(in: directory)
            try fixture.install(origins: [("https://cdn.example.com/", "/assets/")], files: ["a.js"])
            let request = try #require(RequestTarget("/shop/x.js", host: nil))
            let match = try #require(fixture.resolver().match(request, isNavigation: false))
            #expect(match.originURL == nil)
        }
    }
}
