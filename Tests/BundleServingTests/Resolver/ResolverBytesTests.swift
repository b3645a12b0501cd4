import BundleServing
import BundleStore
import BundleTesting
import Testing

@Suite("A request whose parts are bytes")
struct ResolverBytesTests {
    private func resolved(
        _ resolver: ResourceResolver,
        _ scheme: OriginURL.Scheme?,
        _ authority: String?,
        _ path: [UInt8],
        isNavigation: Bool = false
    ) -> String? {
        path.withUnsafeBytes { path in
            let authority = authority.map { Array($0.utf8) }
            guard let authority else {
                return resolver.resolve(scheme: scheme, authority: nil, path: path, isNavigation: isNavigation)
            }
            return authority.withUnsafeBytes {
                resolver.resolve(scheme: scheme, authority: $0, path: path, isNavigation: isNavigation)
            }
        }?
        .asset.path
    }

    @Test("gets the file that the same request as text gets")
    func agreement() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ResolverFixture(in: directory)
            try fixture.install(
                origins: [("https://m.example.com/shop/", "/"), ("http://cdn.example.com:8080/x/", "/assets/")],
                members: #""fallback": {"file": "index.html"}"#,
                files: ["index.html", "assets/caf\u{E9}.js", "assets/index.html"]
            )
            let resolver = fixture.resolver(mounts: ["shop=/"])
            let table: [(scheme: OriginURL.Scheme?, authority: String?, path: String)] = [
                (.https, "M.Example.COM:0443", "/shop/"), (.https, "m.example.com", "/shop/assets"),
                (.http, "cdn.example.com:8080", "/x/caf%C3%A9.js"), (.http, "cdn.example.com:8080", "/x/cafe%CC%81.js"),
                (.http, "cdn.example.com:8080", "/x/"), (.http, "cdn.example.com", "/x/"),
                (nil, "cdn.example.com:8080", "/x/cafe\u{301}.js"), (nil, "localhost", "/assets/"), (nil, nil, "/"),
                (nil, nil, "/route"), (nil, "m.example.com:443", "/shop/route/42"), (nil, nil, "/shop/%2e%2e/"),
                (nil, "m.example.com:443:443", "/shop/"), (.https, "m.example.com:443:443", "/shop/"),
            ]
            for (scheme, authority, path) in table {
                for isNavigation in [false, true] {
                    let url = scheme.map { "\($0)://\(authority ?? "")\(path)" } ?? path
                    let target = try #require(RequestTarget(url, host: authority))
                    let match = resolver.match(target, isNavigation: isNavigation)
                    let expected: String? = if case .found(let file) = match?.outcome { file.asset.path } else { nil }
                    let found = resolved(resolver, scheme, authority, Array(path.utf8), isNavigation: isNavigation)
                    #expect(found == expected, "\(url) at \(authority ?? "no host")")
                }
            }
        }
    }

    @Test("may have an empty path, which is the root's, and gets nothing for a path without a slash")
    func paths() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ResolverFixture(in: directory)
            try fixture.install(origins: [("https://m.example.com/", "/")], files: ["index.html"])
            let resolver = fixture.resolver()
            #expect(resolved(resolver, .https, "m.example.com", []) == "index.html")
            #expect(resolved(resolver, .https, "m.example.com", Array("index.html".utf8)) == nil)
            #expect(resolved(resolver, .https, "", []) == nil)
        }
    }

    @Test(
        "gets nothing for a path that isn't UTF-8",
        arguments: [[0x80], [0xC3], [0xC0, 0xAE], [0xE0, 0x80, 0xAF], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80]]
            as [[UInt8]]
    )
    func invalid(bytes: [UInt8]) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ResolverFixture(in: directory)
            try fixture.install(
                origins: [("https://m.example.com/", "/")],
                members: #""fallback": {"file": "index.html"}"#,
                files: ["index.html"]
            )
            let path = Array("/a".utf8) + bytes
            let resolver = fixture.resolver()
            #expect(resolved(resolver, .https, "m.example.com", path, isNavigation: true) == nil)
            #expect(resolved(resolver, .https, "m.example.com", Array("/a".utf8), isNavigation: true) == "index.html")
        }
    }

    @Test("may have a path of any length")
    func lengths() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try ResolverFixture(in: directory)
            let folder = (0..<16).map { "\($0)" + String(repeating: "f", count: 200) }.joined(separator: "/")
            try fixture.install(
                origins: [("https://m.example.com/", "/\(folder)/")],
                files: ["\(folder)/a/index.html", "\(folder)/caf\u{E9}/index.html"]
            )
            let resolver = fixture.resolver()
            let table: [(path: String, expected: String?)] = [
                ("/a/", "a/index.html"), ("/cafe%CC%81/", "caf\u{E9}/index.html"), ("/%61/", "a/index.html"),
                ("/" + String(repeating: "b/", count: 40_000), nil),
                ("/" + String(repeating: "%61/", count: 40_000), nil),
            ]
            for (path, expected) in table {
                let found = resolved(resolver, .https, "m.example.com", Array(path.utf8))
                #expect(found == expected.map { "\(folder)/\($0)" }, "\(path.prefix(20))")
            }
        }
    }
}
