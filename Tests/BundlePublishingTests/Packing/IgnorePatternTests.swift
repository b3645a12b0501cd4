import Testing

@testable import BundleInstall
@testable import BundlePublishing

@Suite("Patterns of a gitignore file")
struct IgnorePatternTests {
    /// Patterns, paths that each covers by itself, and paths that it doesn't. Folders end in a slash. The first ones are those
    /// of gitignore(5).
    private static let rows: [(pattern: String, covered: [String], others: [String])] = [
        ("hello.*", ["hello.txt", "a/hello.java"], ["hello", "xhello.txt"]),
        ("/hello.*", ["hello.txt", "hello.c"], ["a/hello.java"]),
        ("foo/", ["foo/", "a/foo/"], ["foo", "a/foo"]),
        ("doc/frotz", ["doc/frotz", "doc/frotz/"], ["a/doc/frotz"]),
        ("/doc/frotz", ["doc/frotz"], ["a/doc/frotz"]),
        ("doc/frotz/", ["doc/frotz/"], ["a/doc/frotz/", "doc/frotz"]),
        ("frotz/", ["frotz/", "a/frotz/"], ["frotz"]),
        ("foo/*", ["foo/test.json", "foo/bar/"], ["foo/bar/hello.c", "foo/"]),
        ("**/foo", ["foo", "a/foo", "a/b/foo/"], ["afoo", "a/xfoo"]),
        ("**/foo/bar", ["foo/bar", "a/foo/bar"], ["foo/a/bar", "xfoo/bar"]),
        ("abc/**", ["abc/x", "abc/x/y"], ["abc/", "x/abc/y"]),
        ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["ab", "a/xb", "x/a/b"]),
        ("a/**b", ["a/b", "a/xb"], ["a/x/b"]),
        ("**b", ["b", "x/ab"], ["b/a"]),
        ("a/***/b", ["a/b", "a/x/y/b"], ["a/xb"]),
        ("*", ["a", "a/b/"], []),
        ("/*", ["a", "a/"], ["a/b"]),
        ("a?c", ["abc", "x/a.c"], ["ac", "a/c", "aéc"]),
        ("a/?", ["a/b"], ["a/bc"]),
        ("[a-c]x", ["ax", "cx"], ["dx", "x"]),
        ("[!a-c]x", ["dx"], ["ax"]), ("[^a-c]x", ["dx"], ["bx"]),
        ("[]]", ["]"], ["a"]), ("[!]]", ["a"], ["]"]), ("[a-]", ["a", "-"], ["b"]), ("[-a]", ["a", "-"], ["b"]),
        (#"[\]]"#, ["]"], [#"\"#]), (#"[\a-c]"#, ["a", "b"], [#"\"#]), ("[[:digit:]]x", ["1x"], ["ax"]),
        ("[[:alpha:]_]", ["a", "_", "Z"], ["1"]), ("[[:nothing:]]", [], ["a", ":"]), ("[[:]", ["[", ":"], ["a"]),
        ("a[/]b", [], ["a/b"]), ("[abc", [], ["a", "[abc"]), (#"a\"#, [], ["a", #"a\"#]),
        (#"\*"#, ["*"], ["a"]), ("\\#a", ["#a"], ["a"]), (#"\!a"#, ["!a"], ["a"]), (#"a\ "#, ["a "], ["a"]),
        ("a  ", ["a"], ["a  "]), ("a b", ["a b"], ["a"]), ("/", [], ["a", "a/"]), ("a//b", [], ["a/b"]),
        ("*.js", ["a.js", ".js", "x/a.b.js"], ["a.jsx"]), ("A", ["A"], ["a"]),
        // A name is the same in each normalisation form.
        ("e\u{301}", ["é"], ["e"]),
    ]

    @Test("cover what git's do", arguments: rows)
    func table(_ row: (pattern: String, covered: [String], others: [String])) throws {
        let pattern = try #require(IgnorePattern(row.pattern))
        for (paths, expected) in [(row.covered, true), (row.others, false)] {
            for path in paths {
                let isFolder = path.hasSuffix("/")
                #expect(
                    pattern.covers(isFolder ? String(path.dropLast()) : path, isFolder: isFolder) == expected,
                    "\(row.pattern) \(path)"
                )
            }
        }
    }

    @Test("aren't in empty lines and comments", arguments: ["", " ", "   ", "#", "# a"])
    func none(_ line: String) {
        #expect(IgnorePattern(line) == nil)
    }

    @Test("take back with an exclamation mark")
    func negation() throws {
        let pattern = try #require(IgnorePattern("!a"))
        #expect(pattern.isNegated)
        #expect(pattern.covers("a", isFolder: false))
        #expect(IgnorePattern("a")?.negated()?.isNegated == true)
    }

    @Test("take a time that grows with their length, whatever they are", .timeLimit(.minutes(5)))
    func hostile() throws {
        let pattern = try #require(IgnorePattern(String(repeating: "*a", count: 500) + "b"))
        #expect(!pattern.covers(String(repeating: "a", count: 4_000), isFolder: false))
        let folders = try #require(IgnorePattern(String(repeating: "**/a/", count: 200) + "b"))
        #expect(!folders.covers(String(repeating: "a/", count: 2_000) + "a", isFolder: false))
    }
}
