import Testing

@testable import BundleStore

@Suite("PathPattern")
struct PathPatternTests {
    @Test(
        "a pattern covers a path",
        arguments: [
            ("/**", "a"), ("/**", "a/b/c"), ("/a", "a"), ("/a/**", "a"), ("/a/**", "a/b"), ("/a/**", "a/b/c"),
            ("/**/a", "a"), ("/**/a", "x/y/a"), ("/a/**/b", "a/b"), ("/a/**/b", "a/x/y/b"), ("/*", "a"),
            ("/*.js", "app.js"),
            ("/*.js", ".js"), ("/app.*.js", "app.4f.js"), ("/app.*.js", "app.4f.5e.js"), ("/a*b*c", "aXbYbZc"),
            ("/a*", "a"),
            ("/assets/*/x", "assets/y/x"), ("/**/*.js", "app.js"), ("/**/*.js", "x/app.js"), ("/**/**", "a"),
            ("/caf\u{E9}", "cafe\u{301}"), ("/a b/[c]?.js", "a b/[c]?.js"), ("/**/a/**/b", "a/x/a/b/y/b"),
            ("/a/*/**", "a/b"),
        ]
    )
    func covered(_ pattern: String, _ path: String) throws {
        #expect(try #require(PathPattern(pattern)).matches(BundlePath(path)))
    }

    @Test(
        "a pattern doesn't cover a path",
        arguments: [
            ("/a", "b"), ("/a", "a/b"), ("/a", "A"), ("/a/**", "b/a"), ("/a/**", "ab"), ("/*", "a/b"),
            ("/*.js", "a/b.js"),
            ("/*.js", "app.css"), ("/*.js", "app.js.map"), ("/a*b", "a/b"), ("/a/**/b", "a"), ("/a/**/b", "a/b/c"),
            ("/a/*/**", "a"), ("/%61", "a"), ("/a?", "ab"), ("/[ab]", "a"), ("/**/a/**/b", "b/a"),
        ]
    )
    func uncovered(_ pattern: String, _ path: String) throws {
        #expect(try !#require(PathPattern(pattern)).matches(BundlePath(path)))
    }

    @Test(
        "what is no pattern is refused",
        arguments: [
            "", "/", "a", "*", "**", "//", "/a/", "/a//b", "/..", "/a/../b", "/.", "/./a", "/a\\b", "/a\0", "/a\n",
            "/a**",
            "/**.js", "/***", "/a/**b", "/" + String(repeating: "a", count: 256),
            "/" + String(repeating: "a/", count: 65) + "a",
            "/" + String(repeating: "abc/", count: 256),
        ]
    )
    func refusal(_ text: String) {
        #expect(PathPattern(text) == nil)
    }

    @Test("wildcards on wildcards end soon: the number of comparisons is bounded by the lengths' product")
    func bounds() throws {
        let folders = try #require(PathPattern(String(repeating: "/**/a", count: 31) + "/b"))
        #expect(try !folders.matches(BundlePath(String(repeating: "a/", count: 63) + "a")))
        let stars = try #require(PathPattern("/" + String(repeating: "a*", count: 120) + "b"))
        #expect(try !stars.matches(BundlePath(String(repeating: "a", count: 255))))
        var comparisons = 0
        let found = WildcardMatch.matches(
            Array("*a*a*a*a*a*a*a*a*a*a*b"),
            Array(repeating: Character("a"), count: 200),
            isWildcard: { $0 == "*" },
            matches: { left, right in
                comparisons += 1
                return left == right
            }
        )
        #expect(!found)
        #expect(comparisons <= 22 * 200)
    }

    @Test("patterns are ordered from the general to the specific")
    func order() {
        let patterns = ["/assets/app.js", "/**", "/*", "/assets/**", "/assets/*", "/**/*.js", "/index.html"]
        let sorted = patterns.compactMap(PathPattern.init).sorted().map(\.string)
        #expect(sorted == ["/**", "/*", "/**/*.js", "/assets/**", "/assets/*", "/index.html", "/assets/app.js"])
    }
}
