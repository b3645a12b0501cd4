import Testing

@testable import BundleModel

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
        "text that isn't a pattern is refused",
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

    @Test(
        "a component's wildcards read each of its bytes at most once, for any wildcards",
        arguments: ["a*a*a*a*a*a*a*a*a*a*b", "*aaaaaaaaab*", "a*", "*a", "*b*", "*ab*aab*aaab*"]
    )
    func linearComponents(_ text: String) throws {
        let wildcard = try #require(Wildcard(Substring(text)))
        for subject in [String(repeating: "a", count: 255), String(repeating: "aab", count: 85)] {
            let component = CountedBytes(subject)
            _ = wildcard.matches(component[...])
            // The pattern's start and end are compared before the rest.
            #expect(component.readCount <= subject.utf8.count + 2 * text.utf8.count)
        }
    }

    @Test(
        "folders read the path at most as often as there are components in a row",
        arguments: [
            (String(repeating: "/**/a", count: 31) + "/b", 1), (String(repeating: "/**/*a*", count: 31) + "/**/b", 1),
            ("/**" + String(repeating: "/*a", count: 30) + "/b/**", 31), ("/**", 0), ("/**/**/a/**/**", 1),
        ]
    )
    func linearFolders(_ text: String, _ runCount: Int) throws {
        let pattern = try #require(PathPattern(text))
        let components = Array(repeating: CountedBytes(String(repeating: "a", count: 60)), count: 64)
        _ = pattern.covers(components.map { $0[...] })
        let readCount = components[0].readCount
        #expect(readCount <= (runCount + 1) * 64 * 61 + text.utf8.count, "\(readCount)")
    }

    @Test("a literal of any form is found where it occurs")
    func literals() {
        for pattern in ["a", "ab", "aab", "abab", "aabaa", "abcabd", "aaaa"] {
            for number in 0..<(1 << 10) {
                let subject = (0..<10).map { number >> $0 & 1 == 0 ? UInt8(ascii: "a") : UInt8(ascii: "b") }
                let text = String(decoding: subject, as: UTF8.self)
                let expected = text.firstRange(of: pattern).map {
                    text.utf8.distance(from: text.startIndex, to: $0.upperBound)
                }
                #expect(Literal(Array(pattern.utf8)).end(in: subject) == expected)
            }
        }
    }

    @Test("patterns are ordered from the general to the specific")
    func order() {
        let patterns = ["/assets/app.js", "/**", "/*", "/assets/**", "/assets/*", "/**/*.js", "/index.html"]
        let sorted = patterns.compactMap(PathPattern.init).sorted().map(\.string)
        #expect(sorted == ["/**", "/*", "/**/*.js", "/assets/**", "/assets/*", "/index.html", "/assets/app.js"])
    }
}

/// Bytes that count their reads, shared by all copies.
struct CountedBytes: RandomAccessCollection {
    private final class Counter { var value = 0 }

    private let bytes: [UInt8]
    private let counter: Counter

    init(_ text: String) {
        bytes = Array(text.utf8)
        counter = Counter()
    }

    var readCount: Int { counter.value }
    var startIndex: Int { 0 }
    var endIndex: Int { bytes.count }

    subscript(position: Int) -> UInt8 {
        counter.value += 1
        return bytes[position]
    }
}
