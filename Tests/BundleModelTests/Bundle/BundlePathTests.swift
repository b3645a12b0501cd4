import Testing

@testable import BundleModel

@Suite("BundlePath")
struct BundlePathTests {
    @Test(
        "a path that could mean something else is refused with its reason",
        arguments: [
            ("", .empty), ("/", .absolute), ("/etc/passwd", .absolute), ("//host/share", .absolute),
            ("..", .parentReference), ("../x", .parentReference), ("a/../b", .parentReference),
            ("a/..", .parentReference),
            (".", .emptyComponent), ("./a", .emptyComponent), ("a//b", .emptyComponent), ("a/", .emptyComponent),
            ("a/.", .emptyComponent), ("a\\b", .backslash), ("..\\x", .backslash), ("C:", .driveLetter),
            ("c:/x", .driveLetter), ("Z:x", .driveLetter), ("a\0b", .controlCharacter), ("a\nb", .controlCharacter),
            ("a\u{1B}[2J", .controlCharacter), ("a\u{7F}", .controlCharacter), ("a\u{9B}2J", .controlCharacter),
            ("a\r\nb", .controlCharacter), (String(repeating: "a", count: 256), .componentTooLong),
            (String(repeating: "é", count: 128), .componentTooLong),
            (String(repeating: "abc/", count: 1024) + "a", .tooLong),
            (String(repeating: "a/", count: 65) + "a", .tooDeep),
        ] as [(String, BundlePathError.Reason)]
    )
    func refusal(_ text: String, _ reason: BundlePathError.Reason) {
        let error = #expect(throws: BundlePathError.self) { try BundlePath(text) }
        #expect(error == BundlePathError(path: text, reason: reason))
    }

    @Test("every reason is explained in one printable line", arguments: BundlePathError.Reason.allCases)
    func explanation(_ reason: BundlePathError.Reason) {
        let text = BundlePathError(path: "a\u{1B}\nb", reason: reason).description
        #expect(text.hasPrefix("“a\\u{1b}\\u{a}b” "))
        #expect(!text.unicodeScalars.contains { $0.value < 0x20 })
    }

    @Test(
        "an ordinary path is kept unchanged",
        arguments: [
            "index.html", "assets/app.4f3a.js", ".well-known/x", "a/...", "..a/b..", "a b/ü.html", "ab:c", "1:/x",
            String(repeating: "a", count: 255), String(repeating: "a/", count: 63) + "a",
            String(repeating: "a/", count: 64) + "a",
        ]
    )
    func acceptance(_ text: String) throws {
        #expect(try Array(BundlePath(text).string.utf8) == Array(text.utf8))
    }

    @Test("a decomposed name and a composed one are the same path, byte for byte")
    func normalisation() throws {
        let (composed, decomposed) = (try BundlePath("caf\u{E9}.html"), try BundlePath("cafe\u{301}.html"))
        #expect(composed == decomposed)
        #expect(Array(decomposed.string.utf8) == Array("caf\u{E9}.html".utf8))
    }

    @Test("a path divides into components at every slash, even when a combining mark follows it")
    func components() throws {
        #expect(try BundlePath("a/b/c.js").components == ["a", "b", "c.js"])
        #expect(try BundlePath("a/\u{301}b").components.count == 2)
        #expect(try BundlePath("a").components == ["a"])
    }

    @Test(
        "the extension is what follows the last dot of the name, in lower case",
        arguments: [
            ("a/app.JS", "js"), ("a.tar.gz", "gz"), ("a.b/c", nil), (".htaccess", nil), ("a.", nil), ("a/.b.c", "c"),
            ("LICENSE", nil),
        ] as [(String, String?)]
    )
    func fileExtension(_ text: String, _ expected: String?) throws {
        #expect(try BundlePath(text).fileExtension == expected)
    }

    @Test("the last component is the file's name", arguments: [("a/b/c.js", "c.js"), ("c.js", "c.js")])
    func lastComponent(_ text: String, _ expected: String) throws {
        #expect(try BundlePath(text).lastComponent == expected)
    }

    @Test("paths are ordered by the bytes of UTF-8, as a version index is")
    func order() throws {
        let paths = try ["b", "a/b", "a", "a-b", "Z", "é", "\u{10000}", "\u{FFFD}"].map { try BundlePath($0) }
        #expect(paths.sorted().map(\.string) == ["Z", "a", "a-b", "a/b", "b", "é", "\u{FFFD}", "\u{10000}"])
    }
}
