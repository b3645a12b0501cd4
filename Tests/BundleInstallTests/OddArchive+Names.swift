import BundleTesting

extension OddArchive {
    /// Names that aren't paths in a bundle, or don't denote the same file on every system.
    static let oddNames = traversals + characters + sizes

    private static let traversals = [
        OddArchive(
            "`..` at the start",
            refused: ["leaves the bundle through “..”"],
            OddArchiveVariant.eachFile("../evil.js", "..", "./../evil.js", ".//../evil.js")
                + OddArchiveVariant.folders("../evil/")
        ),
        OddArchive(
            "`..` in the middle",
            refused: ["leaves the bundle through “..”"],
            OddArchiveVariant.eachFile("a/../evil.js", "a/../../evil.js", "a/..")
                + OddArchiveVariant.folders("a/../../b/")
        ),
        OddArchive(
            "`..`, `.` or `/` percent-encoded, once or more often",
            refused: ["has an encoded dot or slash"],
            OddArchiveVariant.eachFile(
                "%2e%2e/evil.js",
                "a/%2E./b",
                "..%2fevil.js",
                "a%5Cb",
                "%252e%252e/a",
                "%c0%ae%c0%ae/a",
                "%e0%80%ae%e0%80%ae/a",
                "%f0%80%80%ae/a",
                "%u002e%u002e/a"
            ) + OddArchiveVariant.folders("%2e%2e/")
        ),
        OddArchive(
            "`..` between backslashes",
            refused: ["has a backslash"],
            OddArchiveVariant.eachFile("..\\evil.js", "a\\..\\..\\evil.js") + OddArchiveVariant.folders("..\\a/")
        ),
        OddArchive(
            "`..` in overlong UTF-8 (`C0 AE C0 AE 2F`)",
            refused: ["has a name that isn't UTF-8", "is marked as UTF-8 but isn't"],
            OddArchiveVariant.rawName(overlong) + [
                .zip(ZipFixtureEntry(name: overlong, contents: OddArchiveVariant.content))
            ]
        ),
        OddArchive(
            "full-width or other dots that only look like `..`",
            takenIn: ["．．/page.html": "odd", "‥/page.html": "odd"],
            OddArchiveVariant.files("．．/page.html", "‥/page.html")
        ),
        OddArchive(
            "`.` or nothing between slashes",
            refused: ["has an empty or “.” component"],
            OddArchiveVariant.eachFile("a/./b.js", "a//b.js")
        ),
        OddArchive(
            "`./` at the start",
            takenIn: ["page.html": "odd"],
            OddArchiveVariant.eachFile("./page.html", ".//page.html")
        ),
        OddArchive(
            "an absolute path",
            refused: ["is an absolute path"],
            OddArchiveVariant.eachFile("/etc/passwd", "/../etc/passwd") + OddArchiveVariant.folders("/evil/")
        ),
        OddArchive(
            "a UNC path",
            refused: ["is an absolute path", "has a backslash"],
            OddArchiveVariant.eachFile("//host/share/evil.js", "\\\\host\\share\\evil.js", "\\\\?\\C:\\evil.js")
        ),
        OddArchive(
            "a letter and a colon before a component, as in `C:/x` or `a:b.txt`, where Windows sees a drive even without a slash",
            refused: ["starts with a letter and a colon, which Windows takes for a drive"],
            OddArchiveVariant.eachFile("C:/evil.js", "c:evil.js", "a:b.txt", "a/C:evil.js", "a/c:/b")
                + OddArchiveVariant.folders("C:/evil/")
        ),
    ]

    private static let overlong: [UInt8] = [0xC0, 0xAE, 0xC0, 0xAE, 0x2F, 0x61]

    private static func fromWindows(_ name: String, _ content: String = "odd") -> ZipFixtureEntry {
        ZipFixtureEntry(name, Array(content.utf8)).with { ($0.host, $0.mode) = (0, 0) }
    }

    private static let characters = [
        OddArchive(
            "a backslash",
            refused: ["has a backslash"],
            OddArchiveVariant.eachFile("a\\b.js", "\\evil.js") + [.zip(fromWindows("a/b\\c.js"))]
        ),
        OddArchive(
            "a backslash in a zip that was made on Windows, in a name without a slash",
            takenIn: ["a/b/c.js": "odd"],
            [.zip(fromWindows("a\\b\\c.js")), .zip(fromWindows("a\\", ""), fromWindows("a\\b\\c.js"))]
        ),
        OddArchive(
            "`..`, a UNC path or a drive in such a name",
            refused: [
                "leaves the bundle through “..”", "is an absolute path",
                "starts with a letter and a colon, which Windows takes for a drive",
            ],
            [.zip(fromWindows("a\\..\\..\\b.js")), .zip(fromWindows("\\\\host\\b.js")), .zip(fromWindows("C:\\b.js"))]
        ),
        OddArchive(
            "a NUL in a zip's name",
            refused: ["has a name with a NUL byte"],
            [.zip(ZipFixtureEntry("good.js\u{0}/../../evil.js", OddArchiveVariant.content))]
        ),
        OddArchive(
            "a control character (C0, DEL, C1)",
            refused: ["has a control character"],
            OddArchiveVariant.eachFile("a\u{1B}[2J.js", "a\nb.js", "a\u{7F}.js", "a\u{9B}2J.js")
                + OddArchiveVariant.folders("a\r/")
        ),
        OddArchive(
            "a dot at the end of a component",
            refused: ["ends in a dot, which Windows drops"],
            OddArchiveVariant.eachFile("a.", "a./b", "a/...") + OddArchiveVariant.folders("a./")
        ),
        OddArchive(
            "a space at the end of a component",
            refused: ["ends in a space, which Windows drops"],
            OddArchiveVariant.eachFile("a ", "a /b") + OddArchiveVariant.folders("a /")
        ),
        OddArchive(
            "a device name of Windows, also with an extension or a superscript digit",
            refused: ["is a device's name on Windows"],
            OddArchiveVariant.eachFile("NUL", "a/con.txt", "Lpt1/a", "com\u{B9}.js", "aux.tar.gz", "CONIN$", "prn .js")
                + OddArchiveVariant.folders("nul/")
        ),
        OddArchive(
            "the type of an NTFS stream",
            refused: ["names a stream of another file on Windows"],
            OddArchiveVariant.eachFile("index.html::$DATA", "a/bb:c:$data") + OddArchiveVariant.folders("aa::$BITMAP/")
        ),
        OddArchive(
            "`<`, `>`, `\"`, `?` or `*`, which Windows refuses by itself, and `:`, which makes a stream of a file there",
            takenIn: ["std::map<int>?*\".html": "odd"],
            OddArchiveVariant.files("std::map<int>?*\".html")
        ),
        OddArchive(
            "names that only look like device names or encoded dots",
            takenIn: ["console.js": "odd", "com10": "odd", "a%2e.js": "odd", "100%.html": "odd", "..a/...b": "odd"],
            OddArchiveVariant.files("console.js", "com10", "a%2e.js", "100%.html", "..a/...b")
        ),
    ]

    private static let sizes = [
        OddArchive(
            "a component over 255 bytes",
            refused: ["has a component longer than 255 bytes"],
            OddArchiveVariant.eachFile(String(repeating: "a", count: 256), String(repeating: "é", count: 128) + "/a")
        ),
        OddArchive(
            "a path over 4,096 bytes",
            refused: ["has a name of over 4096 bytes"],
            OddArchiveVariant.eachFile(String(repeating: String(repeating: "a", count: 80) + "/", count: 51) + "b")
        ),
        OddArchive(
            "a depth over 64 folders",
            refused: ["deeper than 64 folders"],
            OddArchiveVariant.eachFile(
                String(repeating: "a/", count: 65) + "a",
                String(repeating: "a/", count: 2_000) + "a"
            ) + OddArchiveVariant.folders(String(repeating: "a/", count: 65))
        ),
        OddArchive(
            "a depth of 64 folders",
            takenIn: [
                String(repeating: "a/", count: 63) + "b": "odd", String(repeating: "a/", count: 64) + "a": "odd",
            ],
            OddArchiveVariant.files(
                String(repeating: "a/", count: 63) + "b",
                String(repeating: "a/", count: 64) + "a"
            )
        ),
        OddArchive(
            "folders of a depth of 64",
            takenIn: [:],
            OddArchiveVariant.folders(String(repeating: "a/", count: 63), String(repeating: "a/", count: 64))
        ),
    ]
}
