import BundleArchive
import BundleInstall
import BundlePublishing
import BundleStore
import BundleTar
import BundleTesting
import Foundation
import Testing

struct PackerTests {
    private static let manifest = #"{"name": "shop", "version": "1.0.0", "origins": []}"#

    private static let mocking =
        #"{"name": "shop", "version": "1", "origins": [], "network": {"rules": [{"mock": {"file": "no.json"}}]}}"#

    @Test("a packed archive can be installed, in every format", arguments: ArchiveFormat.allCases)
    func roundTrip(_ format: ArchiveFormat) async throws {
        try await withTemporaryDirectory { directory in
            let tree = ["bundle.json": Self.manifest, "index.html": "<p>", "a/b/é.js": "1", "empty.txt": ""]
            let folder = try directory.write(tree: tree, to: "shop")
            let archive = directory.path(of: "shop.\(format)")
            let packed = try Packer().pack(folder, into: archive, format: format)
            #expect(packed.fileCount == tree.count)
            let report = try Installer.validate(archive: archive, formats: .zipAndTar)
            #expect(report.name.string == "shop")
            #expect(report.fileCount == tree.count)
        }
    }

    @Test("the same files give the same bytes")
    func deterministic() async throws {
        try await withTemporaryDirectory { directory in
            for name in ["a", "b"] {
                let tree = ["bundle.json": Self.manifest, "x/y.js": "1", "x.js": "2"]
                let folder = try directory.write(tree: tree, to: name)
                _ = try Packer().pack(folder, into: directory.path(of: "\(name).zip"), format: .zip)
            }
            #expect(try directory.read("a.zip") == directory.read("b.zip"))
        }
    }

    @Test("any number of threads gives the same bytes, those of an archive written in order", arguments: [1, 2, 3, 8])
    func threads(_ threadCount: Int) async throws {
        try await withTemporaryDirectory { directory in
            var tree = ["bundle.json": Self.manifest, "empty": ""]
            for number in 0..<700 { tree["pages/\(number)"] = String(repeating: "<p>page \(number)", count: number) }
            for count in [600_000, 4 << 20, 4 << 20 + 1, 9_000_000] {
                tree["large/\(count)"] = String(
                    String(repeating: "\(count) 0123456789\n", count: count / 14).prefix(count)
                )
            }
            let folder = try directory.write(tree: tree, to: "shop")
            let archive = directory.path(of: "shop.zip")
            var options = PackOptions()
            options.threadCount = threadCount
            _ = try Packer().pack(folder, into: archive, format: .zip, options: options)
            let writer = try ArchiveWriter(path: directory.path(of: "in-order.zip"), format: .zip)
            for (name, text) in tree.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
                try Array(text.utf8).withUnsafeBytes { try writer.add(name: name, contents: $0) }
            }
            try writer.finish()
            let isSame = try directory.read("shop.zip") == directory.read("in-order.zip")
            #expect(isSame)
            let report = try Installer.validate(archive: archive, formats: .zipAndTar)
            #expect(report.fileCount == tree.count)
            #expect(report.byteCount == tree.values.reduce(0) { $0 + UInt64($1.utf8.count) })
        }
    }

    @Test("the name and the version can be others than the folder's, and all else stays")
    func release() async throws {
        try await withTemporaryDirectory { directory in
            let manifest = #"{"name": "shop", "other": [1.50], "origins": []}"#
            let folder = try directory.write(tree: ["bundle.json": manifest], to: "shop")
            let before = try directory.snapshot(of: "shop")
            var options = PackOptions()
            options.version = BundleVersion("2.0.0")
            let archive = directory.path(of: "shop.tar")
            let report = try Packer().pack(folder, into: archive, format: .tar, options: options)
            #expect(report.manifest.version.string == "2.0.0")
            options.name = BundleName("kiosk")
            _ = try Packer().pack(folder, into: archive, format: .tar, options: options)
            #expect(try Installer.manifest(of: archive, formats: .zipAndTar).name.string == "kiosk")
            let text = String(decoding: try directory.read("shop.tar"), as: UTF8.self)
            #expect(text.contains(#""other": ["#) && text.contains("1.50"))
            #expect(try directory.snapshot(of: "shop") == before)
        }
    }

    @Test("a folder without a manifest can be given one")
    func givenManifest() async throws {
        try await withTemporaryDirectory { directory in
            let folder = try directory.write(tree: ["z.html": "<p>", "a.html": "<p>"], to: "shop")
            var options = PackOptions()
            options.manifest = try BundleManifest.parse(Array(Self.manifest.utf8)).manifest
            let archive = directory.path(of: "shop.zip")
            #expect(try Packer().pack(folder, into: archive, format: .zip, options: options).fileCount == 3)
            #expect(try Installer.manifest(of: archive, formats: .zipAndTar) == options.manifest)
        }
    }

    /// What is packed of `tree` with a list, and the warnings.
    private func pack(_ tree: [String: String], _ list: String) async throws -> (paths: Set<String>, PackReport) {
        try await withTemporaryDirectory { directory in
            let folder = try directory.write(tree: tree, to: "shop")
            let archive = directory.path(of: "shop.zip")
            var options = PackOptions()
            options.list = IncludeList(list)
            let report = try Packer().pack(folder, into: archive, format: .zip, options: options)
            let store = try BundleStore(at: directory.path(of: "store"), creating: true)
            let installer = Installer(store, formats: .zipAndTar)
            _ = try installer.install(archive: archive)
            let bundle = try store.bundle(report.manifest.name)
            let release = try #require(bundle.release(report.manifest.version))
            let paths = try tree.keys.filter { try release.asset(at: BundlePath($0)) != nil }
            return (Set(paths), report)
        }
    }

    private static let tree = [
        "bundle.json": manifest, "index.html": "<p>", "a/b/c.js": "1", "a/d.js": "2", "ab/e.js": "3", "f.js": "4",
        "#g.js": "5", "é.js": "6",
    ]

    /// Lists, and what is packed because of them.
    private static let listed: [(String, Set<String>)] = [
        ("", []), ("f.js", ["f.js"]), ("f.js\r\n\n# a/d.js\r\n", ["f.js"]), ("a/", ["a/b/c.js", "a/d.js"]),
        ("./a/b/", ["a/b/c.js"]), ("/a/d.js\n/a/d.js", ["a/d.js"]), ("./#g.js", ["#g.js"]),
        // The same name, decomposed.
        ("e\u{301}.js", ["é.js"]), ("index.html", []), ("a", []), ("f.js/", []), ("../f.js", []), ("f.js ", []),
    ]

    @Test(
        "a list says what is packed, besides the manifest and what it names",
        arguments: listed
    )
    func includeList(_ list: String, _ expected: Set<String>) async throws {
        let (paths, report) = try await pack(Self.tree, list)
        #expect(paths.subtracting(["bundle.json", "index.html"]) == expected)
        #expect(report.fileCount == expected.count + 2)
        #expect(report.excludedFileCount == Self.tree.count - report.fileCount)
        let isMissing = ["a", "f.js/", "../f.js", "f.js "].contains(list)
        #expect(report.warnings.count == (isMissing ? 1 : 0))
        #expect(report.warnings.allSatisfy { $0.contains("is on the list, and not in") })
    }

    @Test("what the manifest names is packed though no list has it, and many missing files are a few warnings")
    func named() async throws {
        let manifest = #"{"name": "shop", "version": "1", "origins": [], "offlinePage": "off.html"}"#
        let tree = ["bundle.json": manifest, "off.html": "off", "other.js": "1"]
        let (_, report) = try await pack(tree, (0..<100).map { "\($0).js" }.joined(separator: "\n"))
        #expect(report.fileCount == 2)
        #expect(report.warnings.count == 21)
        #expect(report.warnings.last == "so are 80 more")
    }

    @Test("a list that can't be read is refused")
    func unreadableList() async throws {
        try await withTemporaryDirectory { directory in
            #expect(throws: BundleError.self) { try IncludeList(contentsOf: [directory.path(of: "none")]) }
            try directory.write([0xFF, 0xFE], to: "bytes")
            #expect(throws: BundleError.self) { try IncludeList(contentsOf: [directory.path(of: "bytes")]) }
            try directory.write(Array("a.js".utf8), to: "list")
            _ = try IncludeList(contentsOf: [directory.path(of: "list"), directory.path(of: "list")])
        }
    }

    @Test("a network rule that can never apply is a warning")
    func unreachableRule() async throws {
        try await withTemporaryDirectory { directory in
            let rules = #"[{"strategy": "block"}, {"match": {"path": "/a"}}]"#
            let manifest = #"{"name": "shop", "version": "1", "origins": [], "network": {"rules": \#(rules)}}"#
            let folder = try directory.write(tree: ["bundle.json": manifest, "index.html": "x"], to: "shop")
            let report = try Packer().pack(folder, into: directory.path(of: "shop.zip"), format: .zip)
            #expect(report.warnings.count == 1)
            #expect(report.warnings.first?.hasPrefix("bundle.json: network.rules[1]: never applies") == true)
        }
    }

    @Test(
        "a folder that couldn't be installed is refused, and no file is left",
        arguments: [
            (["index.html": "x"], "has no bundle.json"),
            (["bundle.json": "{"], "bundle.json"),
            (
                ["bundle.json": #"{"name": "shop", "version": "1", "origins": [], "offlinePage": "no.html"}"#],
                "offlinePage"
            ),
            (["bundle.json": PackerTests.mocking], "network.rules[0].mock.file: “no.json” is not there; correct"),
            (["bundle.json": PackerTests.manifest, "a\\b.js": "x"], "rename it"),
            (["bundle.json": PackerTests.manifest, "a/NUL.js": "x"], "is a device's name on Windows; rename it"),
            (["bundle.json": PackerTests.manifest, "a/b": "x", "a/B": "x"], "differ only in upper and lower case"),
            (["bundle.json": PackerTests.manifest, "a/b": "x", "A/c": "x"], "differ only in upper and lower case"),
            ([:], "has no file in it"),
        ]
    )
    func refused(_ tree: [String: String], _ problem: String) async throws {
        try await withTemporaryDirectory { directory in
            let folder = try directory.write(tree: tree, to: "shop")
            let before = try directory.snapshot()
            let error = #expect(throws: BundleError.self) {
                try Packer().pack(folder, into: directory.path(of: "shop.zip"), format: .zip)
            }
            #expect(error?.message.contains(problem) == true)
            #expect(try directory.snapshot() == before)
        }
    }

    @Test("two files whose names are equal after normalisation are refused")
    func normalisation() async throws {
        try await withTemporaryDirectory { directory in
            let folder = try directory.write(tree: ["bundle.json": Self.manifest, "caf\u{E9}": "x"], to: "shop")
            try directory.write("y", to: "shop/cafe\u{301}")
            let error = #expect(throws: BundleError.self) {
                try Packer().pack(folder, into: directory.path(of: "shop.zip"), format: .zip)
            }
            #expect(error?.message.contains("are one name after normalisation; rename one of them") == true)
        }
    }

    @Test("packing that is cancelled inside a file leaves the folder unchanged", arguments: ArchiveFormat.allCases)
    func cancelled(_ format: ArchiveFormat) async throws {
        try await withTemporaryDirectory { directory in
            let large = String(repeating: "0123456789", count: 1_200_000)
            let folder = try directory.write(tree: ["bundle.json": Self.manifest, "large": large], to: "shop")
            try directory.write("old", to: "archive")
            let before = try directory.snapshot()
            await #expect(throws: CancellationError.self) {
                try await Task {
                    try Packer().pack(folder, into: directory.path(of: "archive"), format: format) { progress in
                        #expect(progress.done <= progress.total)
                        if progress.done > 1_000 { withUnsafeCurrentTask { $0?.cancel() } }
                    }
                }.value
            }
            #expect(try directory.snapshot() == before)
        }
    }

    /// Packs a folder by patterns, and returns the files in the archive besides the manifest, and what was left out.
    private func pack(
        _ tree: [String: String],
        excluding excluded: [String] = [],
        including included: [String] = []
    ) async throws -> (packed: [String], leftOut: [String]) {
        try await withTemporaryDirectory { directory in
            let folder = try directory.write(
                tree: tree.merging(["bundle.json": Self.manifest]) { own, _ in own },
                to: "shop"
            )
            var options = PackOptions()
            options.excluded = excluded.compactMap { IgnorePattern($0) }
            options.included = included.compactMap { IgnorePattern($0) }
            let archive = directory.path(of: "shop.zip")
            let report = try Packer().pack(folder, into: archive, format: .zip, options: options)
            #expect(try Installer.validate(archive: archive, formats: .zipAndTar).warnings.isEmpty)
            let reader = try ArchiveReader(path: archive, formats: .zipAndTar)
            var names: [String] = []
            while let entry = try reader.nextEntry() { names.append(entry.name) }
            #expect(names.count == report.fileCount)
            return (names.filter { $0 != "bundle.json" }, report.leftOut)
        }
    }

    @Test("hidden files, node_modules and what macOS adds are left out, but not what is made to be published")
    func hidden() async throws {
        let names = [
            ".DS_Store", "a/.DS_Store", ".git/config", "a/.git", "node_modules/x/index.js", "a/node_modules/y.js",
            "__MACOSX/._a", ".env.example", ".well-known/assetlinks.json", ".well-known/.x", ".vite/manifest.json",
            ".vite/deps/a.js", "a/b.js", "a.b", "a/__MACOSX/x",
        ]
        let (packed, leftOut) = try await pack(Dictionary(uniqueKeysWithValues: names.map { ($0, "x") }))
        #expect(
            packed == [".vite/manifest.json", ".well-known/assetlinks.json", "a.b", "a/__MACOSX/x", "a/b.js"]
        )
        #expect(
            leftOut == [
                ".DS_Store", ".env.example", ".git/", ".vite/deps/", ".well-known/.x", "__MACOSX/", "a/.DS_Store",
                "a/.git", "a/node_modules/", "node_modules/",
            ]
        )
    }

    @Test("of all patterns the last one that covers a name decides, and included ones are the last")
    func patterns() async throws {
        let names = ["a.map", "b.map", "c.map", "x/d.map", "x/e.js", ".keep", "x/.keep", "y/z.js"]
        var tree = Dictionary(uniqueKeysWithValues: names.map { ($0, "x") })
        tree[".bundleignore"] = "# maps\r\n*.map\r\n!b.map\r\n/y/\n"
        let (packed, leftOut) = try await pack(tree, excluding: ["b.map"], including: ["/c.map", ".keep"])
        #expect(packed == [".keep", "c.map", "x/.keep", "x/e.js"])
        #expect(leftOut == ["a.map", "b.map", "x/d.map", "y/"])
    }

    @Test("what is left out may be a link, and have any name")
    func oddLeftOut() async throws {
        let (packed, _) = try await pack(["node_modules/NUL": "x", "a\\b": "x", "c": "x"], excluding: [#"a\\b"#])
        #expect(packed == ["c"])
    }

    @Test(
        "what looks like a secret is refused, unless it is excluded, or included by a pattern that covers it",
        arguments: [
            ".env", ".env.production", "a/.ENV", "id_rsa", "keys/id_ed25519", "server.pem", "Server.KEY", "a.p12",
            ".npmrc", ".netrc", ".htpasswd",
        ]
    )
    func secrets(_ name: String) async throws {
        let tree = [name: "x", "y": "x"]
        let error = await #expect(throws: BundleError.self) { try await pack(tree) }
        #expect(error?.code == .invalidArchive)
        #expect(error?.remedy == .leaveOutSecrets)
        #expect(error?.message.contains("\(name) looks like a secret") == true)
        await #expect(throws: BundleError.self) { try await pack(tree, including: ["y", "*.txt"]) }
        #expect(try await pack(tree, excluding: ["/\(name)"]).packed == ["y"])
        #expect(try await pack(tree, including: ["/\(name)"]).packed.sorted() == [name, "y"].sorted())
    }

    @Test("the folder's own patterns can leave out what looks like a secret, and can't permit it")
    func ownPatterns() async throws {
        let tree = ["a.pem": "x", "y": "x"]
        #expect(try await pack(tree.merging([".bundleignore": "*.pem"]) { $1 }).packed == ["y"])
        let error = await #expect(throws: BundleError.self) {
            try await pack(tree.merging([".bundleignore": "!*.pem"]) { $1 })
        }
        #expect(error?.message.contains("a.pem looks like a secret") == true)
    }

    #if !canImport(Darwin)
        @Test("a name that isn't UTF-8 is refused as what it is")
        func undecodableName() async throws {
            try await withTemporaryDirectory { directory in
                let folder = try directory.write(tree: ["bundle.json": Self.manifest], to: "shop")
                let path = Array(folder.utf8CString.dropLast()) + [0x2F, 0x63, -23, 0]
                let descriptor = open(path, O_CREAT | O_WRONLY, 0o600)
                try #require(descriptor >= 0)
                close(descriptor)
                let error = #expect(throws: BundleError.self) {
                    try Packer().pack(folder, into: directory.path(of: "shop.zip"), format: .zip)
                }
                #expect(error?.message.hasSuffix("has a name that isn't UTF-8; rename it") == true)
            }
        }
    #endif

    @Test("one error tells all that can't be packed")
    func problems() async throws {
        let tree = ["a\\b.js": "x", "NUL": "x", "c.js": "x", "C.js": "x", ".env": "x", "d": "x"]
        let error = await #expect(throws: BundleError.self) { try await pack(tree) }
        let message = try #require(error?.message)
        #expect(message.hasPrefix("4 files can't be packed: (1) "))
        for part in [".env looks like a secret", "a\\b.js", "NUL", "differ only in upper and lower case"] {
            #expect(message.contains(part))
        }
    }

    @Test("many problems are told in part")
    func manyProblems() async throws {
        let tree = Dictionary(uniqueKeysWithValues: (0..<200).map { ("\($0).pem", "x") })
        let error = await #expect(throws: BundleError.self) { try await pack(tree) }
        #expect(error?.message.contains(", (50) ") == true)
        #expect(error?.message.contains(", and 150 more; ") == true)
    }

    @Test("patterns that can't be read are refused", arguments: [[0xFF], [UInt8](repeating: 0x61, count: 1_048_577)])
    func unreadablePatterns(_ bytes: [UInt8]) async throws {
        try await withTemporaryDirectory { directory in
            let folder = try directory.write(tree: ["bundle.json": Self.manifest], to: "shop")
            try directory.write(bytes, to: "shop/.bundleignore")
            let error = #expect(throws: BundleError.self) {
                try Packer().pack(folder, into: directory.path(of: "shop.zip"), format: .zip)
            }
            #expect(error?.code == .invalidArgument)
        }
    }

    @Test("a link is refused, wherever it leads")
    func link() async throws {
        try await withTemporaryDirectory { directory in
            let folder = try directory.write(tree: ["bundle.json": Self.manifest], to: "shop")
            try FileManager.default.createSymbolicLink(atPath: "\(folder)/x", withDestinationPath: "bundle.json")
            let error = #expect(throws: BundleError.self) {
                try Packer().pack(folder, into: directory.path(of: "shop.zip"), format: .zip)
            }
            #expect(error?.code == .invalidArchive)
        }
    }

    @Test("an archive isn't written to the folder that it is made from")
    func inside() async throws {
        try await withTemporaryDirectory { directory in
            let folder = try directory.write(tree: ["bundle.json": Self.manifest, "a/b": "x"], to: "shop")
            let error = #expect(throws: BundleError.self) {
                try Packer().pack(folder, into: "\(folder)/a/shop.zip", format: .zip)
            }
            #expect(error?.code == .invalidArgument)
        }
    }
}
