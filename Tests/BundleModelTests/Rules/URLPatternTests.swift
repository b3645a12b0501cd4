import BundleTesting
import Testing

@testable import BundleModel

@Suite("Patterns of network rules")
struct URLPatternTests {
    /// The subject of a request for `path`, in the bundle and below `https://m.example.com/shop/`.
    static func subject(_ path: String, origin: String? = "https://m.example.com") -> PatternSubject {
        let components = path.split(separator: "/").map { PercentEncoding.decode($0.utf8) ?? "" }
        let encoded = path.split(separator: "/").map(String.init)
        return PatternSubject(
            path: SubjectPath(components, encoded: encoded),
            origin: origin,
            urlPath: SubjectPath(["shop"] + components, encoded: ["shop"] + encoded)
        )
    }

    @Test(
        "a pattern is compared with the path in the bundle, with its last component, or with the URL",
        arguments: [
            ("/", "", true), ("/", "a", false), ("/**", "", true), ("/**", "a/b", true),
            ("/api/*", "api/a", true), ("/api/*", "api/a/b", false), ("/api/*", "api", false),
            ("/api/**", "api/a/b", true), ("/api/**", "api", true), ("/api/**", "apis", false),
            ("/api/**", "x/api", false),
            ("/a%20b", "a%20b", false), ("/a b", "a%20b", true), ("/A", "a", false),
            ("*.mp4", "a.mp4", true), ("*.mp4", "x/y/a.mp4", true), ("*.mp4", "a.mp4/b", false),
            ("*.mp4", "a.MP4", false),
            ("app.*.js", "x/app.1.js", true), ("robots.txt", "robots.txt", true), ("*", "", false), ("**", "", true),
            ("https://m.example.com/shop/**", "a/b", true), ("https://M.EXAMPLE.com:443/shop/**", "a", true),
            ("http://m.example.com/shop/**", "a", false), ("https://m.example.com:8443/shop/**", "a", false),
            ("https://m.example.com/**", "a", true), ("https://m.example.com/a", "a", false),
            ("https://m.example.com/shop/*.js", "a.js", true), ("https://m.example.com/shop/a%20b", "a%20b", true),
            ("https://m.example.com/", "", false), ("https://m.example.com", "", false),
            ("https://cdn.example/**", "a", false),
        ]
    )
    func covering(_ pattern: String, _ path: String, _ isCovered: Bool) throws {
        #expect(try #require(URLPattern(pattern)).covers(Self.subject(path)) == isCovered)
    }

    @Test("a pattern of URLs covers nothing that no origin covers")
    func withoutOrigin() throws {
        let pattern = try #require(URLPattern("https://m.example.com/**"))
        #expect(!pattern.covers(Self.subject("a", origin: nil)))
        #expect(try #require(URLPattern("/**")).covers(Self.subject("a", origin: nil)))
    }

    @Test(
        "text that isn't a pattern is refused",
        arguments: [
            "", "a/b", "//a", "/a/", "/../a", "/a\\b", "/a\n", "a**", "..", "ftp://a/*", "https://", "https://*/a",
            "https://u@a/", "https://a/?b", "https://a/#b", "https://a/b/", "https://a/../b", "https://a/%2A",
            "https://a/b%2fc", "https://a/%zz", "https://a/b c", "/" + String(repeating: "a/", count: 512) + "a",
        ]
    )
    func refusal(_ text: String) {
        #expect(URLPattern(text) == nil)
    }

    @Test("random patterns read a random path at most once for each component between two double stars, and are right")
    func linear() throws {
        var random = SeededGenerator(seed: 15)
        for _ in 0..<2_000 {
            let words = ["a", "b", "*", "**", "a*", "*a", "*a*b*", "aa*aa", "*aaaab"]
            let pattern =
                "/"
                + (0..<Int.random(in: 1...8, using: &random)).map { _ in words.randomElement(using: &random)! }
                .joined(separator: "/")
            let parts = (0..<Int.random(in: 1...24, using: &random)).map { _ in
                String(repeating: "a", count: .random(in: 1...12, using: &random))
                    + ["", "b"].randomElement(using: &random)!
            }
            let compiled = try #require(URLPattern(pattern)).path
            let components = parts.map(CountedBytes.init)
            let isCovered = compiled.covers(components.map { $0[...] })
            let readCount = components.reduce(0) { $0 + $1.readCount }
            let longestRun = compiled.runs.map(\.count).max() ?? 0
            let byteCount = parts.reduce(0) { $0 + $1.utf8.count + 1 }
            #expect(readCount <= (longestRun + 1) * byteCount * 2 + pattern.utf8.count * 2, "\(pattern) \(parts)")
            #expect(
                isCovered == PathPatternSetTests.covers(pattern.split(separator: "/")[...], parts.map { $0[...] }[...]),
                "\(pattern) \(parts)"
            )
        }
    }
}
