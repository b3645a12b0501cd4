import BundleArchive
import BundleTar
import BundleTesting
import Foundation
import Testing

/// What `pack` packs of a folder.
struct PackTests {
    private static let manifest = #"{"name": "shop", "version": "1.0.0", "origins": []}"#

    private static func names(in archive: String) throws -> [String] {
        let reader = try ArchiveReader(path: archive, formats: .zipAndTar)
        var names: [String] = []
        while let entry = try reader.nextEntry() { names.append(entry.name) }
        return names
    }

    @Test func `hidden files stay out, and a line says so`() async throws {
        try await withTemporaryDirectory { directory in
            let bundlectl = Bundlectl(store: directory.path(of: "store"))
            let tree = [
                "bundle.json": Self.manifest, "index.html": "<p>", ".git/HEAD": "x", "node_modules/a/b.js": "x",
                ".well-known/assetlinks.json": "[]", "a.js.map": "{}",
            ]
            let (folder, archive) = (try directory.write(tree: tree, to: "shop"), directory.path(of: "shop.zip"))
            let packed = try await bundlectl.expect(0, "pack", folder, archive, "--exclude", "*.map")
            #expect(packed.output.contains("left out 3 names, hidden or excluded: .git/, a.js.map, node_modules/\n"))
            #expect(try Self.names(in: archive) == [".well-known/assetlinks.json", "bundle.json", "index.html"])
            let document = try await bundlectl.json("pack", folder, archive, "--include", ".git/")
            #expect(document["leftOut"]?.array?.compactMap(\.string) == ["node_modules/"])
            #expect(try Self.names(in: archive).contains(".git/HEAD"))
            try await bundlectl.expect(64, "pack", folder, archive, "--exclude", "# nothing")
        }
    }

    @Test func `all that looks like a secret is told at once, and nothing is written`() async throws {
        try await withTemporaryDirectory { directory in
            let bundlectl = Bundlectl(store: directory.path(of: "store"))
            let tree = ["bundle.json": Self.manifest, ".env": "x", "a/server.pem": "x", "b/CON": "x"]
            let (folder, archive) = (try directory.write(tree: tree, to: "shop"), directory.path(of: "shop.zip"))
            let refused = try await bundlectl.expect(65, "pack", folder, archive)
            for part in [
                "3 files can't be packed", ".env looks like", "server.pem looks like", "CON", "--include PATTERN",
            ] {
                #expect(refused.errorOutput.contains(part))
            }
            #expect(!FileManager.default.fileExists(atPath: archive))
            try directory.write("b/\n.env\n", to: "shop/.bundleignore")
            try await bundlectl.expect(0, "pack", folder, archive, "--include", "*.pem")
            #expect(try Self.names(in: archive) == ["a/server.pem", "bundle.json"])
        }
    }

    private static let git = "/usr/bin/git"

    /// Patterns that say something together; the first ones are examples of gitignore(5).
    private static let ignoreFiles = [
        "hello.*\n", "/hello.*\n", "foo/\n", "doc/frotz/\n", "foo/*\n", "**/foo\n", "**/foo/bar\n", "abc/**\n",
        "a/**/b\n", "/*\n!/foo\n/foo/*\n!/foo/bar\n", "*.html\n!foo.html\n", "!a\na\n", "a\n!a\n", "a/\n!a/b\n",
        "a/*\n!a/b\n",
        "# a\n\\#a\n\\!a\n", "[a-c]\n", "[!a-c]\n", "[[:digit:]]\n", "b \nb\\ \n", "a\r\nb\r\n", "\u{FEFF}b\n", "[b\n",
        "b\\\n",
        "a?b\n", "a/***/b\n", "a**\n", "**a\n", "**/\n!a/\n", "doc//frotz\n", "/\n", "*\n!*/\n!b\n", "[]-a]\n",
        "[\\]a]\n", "x/y/*\n",
    ]

    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: git)),
        arguments: ignoreFiles
    )
    func `patterns leave out what git leaves out`(patterns: String) async throws {
        try await withTemporaryDirectory { directory in
            let paths = [
                "hello.txt", "a/hello.c", "foo/bar/x", "foo/bar/hello.c", "foo/test.json", "x/foo", "doc/frotz/a",
                "a/doc/frotz/b", "abc/x/y", "a/b", "a/x/b", "a/x/y/b", "b", "b ", "foo.html", "x/foo.html", "y.html",
                "#a", "!a",
                "1", "]", "-", "é", "a.b", "x/y/z/a", "x/y/c",
            ]
            let tree = Dictionary(uniqueKeysWithValues: paths.map { ($0, "x") })
            // A space at a name's end isn't portable, and hidden files would differ.
            let kept = tree.filter { $0.key != "b " }
            let folder = try directory.write(tree: kept.merging(["bundle.json": Self.manifest]) { $1 }, to: "tree")
            try directory.write(patterns + "!/bundle.json\n", to: "tree/.bundleignore")
            let environment = ["HOME": directory.path(of: "home"), "GIT_CONFIG_NOSYSTEM": "1", "PATH": "/usr/bin:/bin"]
            let repository = directory.path(of: "repository")
            _ = try await ChildProcess.run(Self.git, ["init", "-q", repository], environment: environment)
            let listed = try await ChildProcess.run(
                Self.git,
                [
                    "--git-dir", "\(repository)/.git", "--work-tree", folder, "ls-files", "-z", "--others",
                    "--exclude-from=\(folder)/.bundleignore",
                ],
                environment: environment,
                currentDirectory: folder
            )
            try #require(listed.exitCode == 0, "\(listed.errorOutput)")
            let expected = listed.output.split(separator: "\0").map(String.init).filter { $0 != ".bundleignore" }
            let archive = directory.path(of: "tree.tar")
            try await Bundlectl(store: directory.path(of: "store")).expect(0, "pack", folder, archive)
            #expect(try Set(Self.names(in: archive)) == Set(expected))
        }
    }
}
