import Testing

@testable import BundleModel

@Suite("Rewrites of network rules")
struct URLRewriteTests {
    private static func rewrite(_ from: String, _ to: String) throws -> URLRewrite? {
        let (from, to) = (try #require(URLPattern(from)), try #require(URLPattern(to)))
        return URLRewrite(from: from, to: to)
    }

    @Test(
        "what the wildcards stand for is put in place of the other ones, as it was sent",
        arguments: [
            ("/a", "/b", "a", "b"), ("/a", "/b", "c", nil),
            ("/api/**", "/v2/**", "api/x/y", "v2/x/y"), ("/api/**", "/v2/**", "api", "v2"),
            ("/**", "/new/**", "", "new"), ("/**", "/x/**/y", "a/b", "x/a/b/y"),
            ("/*.js", "/lib/*.mjs", "app.js", "lib/app.mjs"), ("/*.js", "/*.js", ".js", ".js"),
            ("/img/*/*.png", "/p/*-*.webp", "img/a/b.png", "p/a-b.webp"),
            ("/**/*.js", "/**/min/*.js", "a/b/c.js", "a/b/min/c.js"),
            ("/a*b*c", "/*/*", "aXbYbZc", "X/YbZ"),
            ("/*", "/x/*", "a%3Bb", "x/a%3Bb"), ("/*.js", "/x/*", "a%3B;b.js", "x/a%3B;b"),
            ("/**", "/x/**", "a%20b/%C3%A9", "x/a%20b/%C3%A9"), ("/*", "/caf\u{E9} %:*", "a", "caf%C3%A9%20%25:a"),
            ("https://m.example.com/shop/*", "/a/*", "x", "a/x"),
            ("https://cdn.example/*", "/a/*", "x", nil), ("/*", "https://cdn.example/i/*", "x", "i/x"),
        ]
    )
    func components(_ from: String, _ to: String, _ path: String, _ expected: String?) throws {
        let rewrite = try #require(try Self.rewrite(from, to))
        #expect(rewrite.components(replacing: URLPatternTests.subject(path))?.joined(separator: "/") == expected)
    }

    @Test("bytes that normalisation has changed are encoded again")
    func normalised() throws {
        let rewrite = try #require(try Self.rewrite("/a*b", "/*"))
        let path = SubjectPath(["a\u{E9}b"], encoded: ["ae%CC%81b"])
        let subject = PatternSubject(path: path, origin: nil, urlPath: SubjectPath([]))
        #expect(rewrite.components(replacing: subject) == ["%C3%A9"])
    }

    @Test("both sides have the same wildcards in the same order")
    func wildcards() throws {
        for (from, to) in [("/*", "/a"), ("/a", "/*"), ("/**", "/*"), ("/*/**", "/**/*"), ("/*-*", "/*")] {
            #expect(try Self.rewrite(from, to) == nil)
        }
    }
}
