import BundleServing
import BundleStore
import BundleTesting
import Testing

@Suite("Which file is served for a path")
struct ResolverPathTests {
    private static let files = [
        "index.html", "app.js", "docs/index.html", "docs/guide/page.html", "a b.js", "100%25.txt", "%2e.txt", "a+b.js",
        "caf\u{E9}.js", "docs/c:d.js", "q?.js", "#.js", "empty/other.js", "~x/'(1)'.js",
    ]

    private func outcomes(_ paths: [String], isNavigation: Bool = false) async throws -> [String?] {
        try await withTemporaryDirectory { directory in
            let fixture = try ResolverFixture(in: directory)
            try fixture.install(files: Self.files)
            let resolver = fixture.resolver()
            return paths.map { resolver.outcome("https://m.example.com/shop\($0)", isNavigation: isNavigation) }
        }
    }

    @Test("a path names its file, decoded once, without query and fragment")
    func files() async throws {
        let table = [
            ("/app.js", "app.js"), ("/app.js?v=2", "app.js"), ("/app.js#top", "app.js"),
            ("/app.js?a=../../b", "app.js"),
            ("/%61pp%2Ejs", "app.js"), ("/a%20b.js", "a b.js"), ("/100%2525.txt", "100%25.txt"),
            ("/100%25.txt", "missing"), ("/%252e.txt", "%2e.txt"), ("/a+b.js", "a+b.js"), ("/a%2Bb.js", "a+b.js"),
            ("/caf%C3%A9.js", "caf\u{E9}.js"), ("/cafe%CC%81.js", "caf\u{E9}.js"), ("/caf\u{E9}.js", "caf\u{E9}.js"),
            ("/cafe\u{301}.js", "caf\u{E9}.js"), ("/docs/c:d.js", "docs/c:d.js"), ("/docs/c%3Ad.js", "docs/c:d.js"),
            ("/q%3F.js", "q?.js"), ("/%23.js", "#.js"), ("/~x/'(1)'.js", "~x/'(1)'.js"), ("/APP.js", "missing"),
        ]
        let outcomes = try await outcomes(table.map(\.0))
        for (row, outcome) in zip(table, outcomes) { #expect(outcome == row.1, "\(row.0)") }
    }

    @Test("a folder gives its page, and without its slash a redirect that keeps the query")
    func folders() async throws {
        let table = [
            ("", "-> /shop/"), ("/", "index.html"), ("/?a", "index.html"), ("?a=b", "-> /shop/?a=b"),
            ("/docs/", "docs/index.html"), ("/docs", "-> /shop/docs/"), ("/docs?x=1&y", "-> /shop/docs/?x=1&y"),
            ("/%64ocs#z", "-> /shop/%64ocs/"), ("/docs/guide/", "missing"), ("/docs/guide", "missing"),
            ("/empty/", "missing"), ("/empty", "missing"), ("/app.js/", "missing"),
        ]
        let outcomes = try await outcomes(table.map(\.0))
        for (row, outcome) in zip(table, outcomes) { #expect(outcome == row.1, "\(row.0)") }
    }

    @Test(
        "a path that would leave the bundle, or is ambiguous, isn't covered",
        arguments: [
            "/../app.js", "/docs/../app.js", "/./app.js", "/docs/.", "/docs/..", "/%2e%2e/app.js", "/%2E%2E/app.js",
            "/.%2e/app.js", "/%2e/app.js", "/docs%2Findex.html", "/docs%2findex.html", "/..%2fapp.js", "/..%5Capp.js",
            "/docs%5Cindex.html", "/docs\\index.html", "/app.js%00", "/%00", "/app%0A.js", "/app%7F.js", "//app.js",
            "/docs//index.html", "//", "/docs//", "/%C0%AE%C0%AE/app.js", "/%C0%AFapp.js", "/%E0%80%AF", "/%ED%A0%80",
            "/%FF.js", "/%80", "/app.js%", "/app.js%2", "/app.js%zz", "/%C2%9B.js",
        ]
    )
    func escapes(path: String) async throws {
        #expect(try await outcomes([path, path], isNavigation: true) == [nil, nil])
    }

    @Test("paths that no file can have aren't covered")
    func limits() async throws {
        let long = "/" + String(repeating: "a", count: 256)
        let deep = String(repeating: "/a", count: 66)
        let large = String(repeating: "/" + String(repeating: "a", count: 200), count: 30)
        #expect(try await outcomes([long, deep, large]) == [nil, nil, nil])
    }

    @Test("a separator with a combining mark after it is still a separator")
    func combiningMarks() async throws {
        #expect(try await outcomes(["/docs/\u{301}", "/\u{301}app.js"]) == ["missing", "missing"])
    }

    @Test("the manifest's entry page is served for the root, and only for the root")
    func entry() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ResolverFixture(in: directory)
            try fixture.install(
                members: #""entry": "start.html""#,
                files: ["start.html", "a/start.html", "b/index.html"]
            )
            let resolver = fixture.resolver()
            let table = [
                "/": "start.html", "": "-> /shop/", "/a/": "missing", "/b/": "b/index.html", "/index.html": "missing",
            ]
            for (path, expected) in table {
                #expect(resolver.outcome("https://m.example.com/shop\(path)") == expected, "\(path)")
            }
            #expect(resolver.resolve("https://m.example.com/shop/")?.rule == .entry)
            #expect(resolver.resolve("https://m.example.com/shop/b/")?.rule == .index)
            #expect(resolver.resolve("https://m.example.com/shop/start.html")?.rule == .path)
            #expect(resolver.resolve("https://m.example.com/shop/b") == nil)
        }
    }

    @Test("the root of a bundle without any page is missing")
    func noPage() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ResolverFixture(in: directory)
            try fixture.install(files: ["a.js"])
            #expect(fixture.resolver().outcome("/shop/", host: nil, isNavigation: true) == "missing")
            #expect(fixture.resolver().outcome("/shop", host: nil, isNavigation: true) == "-> /shop/")
        }
    }

    @Test("earlier releases serve the requests of open pages, the latest first, but no navigation")
    func retained() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ResolverFixture(in: directory)
            try fixture.install("shop", "1.0.0", files: ["index.html", "old.js", "both.js", "old/index.html"])
            try fixture.install("shop", "1.1.0", files: ["index.html", "both.js"])
            try fixture.install("shop", "1.2.0", files: ["index.html"])
            try fixture.install("shop", "0.9.0", files: ["never.js"], activating: false)
            let resolver = fixture.resolver()
            let url = "https://m.example.com/shop/"
            #expect(resolver.resolve(url + "old.js")?.layer == .retained)
            #expect(resolver.resolve(url + "both.js")?.asset.release.version.string == "1.1.0")
            #expect(resolver.resolve(url)?.asset.release.version.string == "1.2.0")
            #expect(resolver.outcome(url + "old/") == "old/index.html")
            #expect(resolver.outcome(url + "old") == "missing")
            #expect(resolver.outcome(url + "old.js", isNavigation: true) == "missing")
            #expect(resolver.outcome(url + "old/", isNavigation: true) == "missing")
            #expect(resolver.outcome(url + "never.js") == "missing")
        }
    }

    @Test(
        "a client-side route gets the fallback page when it is opened, and never in place of a script, style or image"
    )
    func routes() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ResolverFixture(in: directory)
            try fixture.install(
                members: #""fallback": {"file": "app.html", "routes": ["/product/**", "/cart"]}"#,
                files: ["index.html", "app.html", "product/real.html"]
            )
            let resolver = fixture.resolver()
            let table: [(path: String, navigation: String, other: String)] = [
                ("product/42", "app.html", "missing"), ("product/42/", "app.html", "missing"),
                ("product/a/b?c", "app.html", "missing"), ("cart", "app.html", "missing"),
                ("product/1.2", "app.html", "missing"), ("product/x.html", "app.html", "missing"),
                ("product/real.html", "product/real.html", "product/real.html"), ("about", "missing", "missing"),
                ("product/x.js", "missing", "missing"), ("product/x.CSS", "missing", "missing"),
                ("product/x.png", "missing", "missing"), ("product/x.json", "missing", "missing"),
            ]
            for (path, navigation, other) in table {
                let url = "https://m.example.com/shop/\(path)"
                #expect(resolver.outcome(url, isNavigation: true) == navigation, "\(path)")
                #expect(resolver.outcome(url) == other, "\(path)")
            }
        }
    }

    @Test("the offline page is available when the manifest names one")
    func offlinePage() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ResolverFixture(in: directory)
            try fixture.install(members: #""offlinePage": "offline.html""#, files: ["offline.html"])
            try fixture.install("docs", origins: [], files: ["a.js"])
            let resolver = fixture.resolver()
            let target = try #require(RequestTarget("/shop/x", host: nil))
            let page = try #require(resolver.match(target, isNavigation: true)?.offlinePage)
            #expect(page.asset.path == "offline.html")
            #expect(page.rule == .offlinePage)
            let other = try #require(RequestTarget("/docs/x", host: nil))
            #expect(resolver.match(other, isNavigation: true)?.offlinePage == nil)
        }
    }
}
