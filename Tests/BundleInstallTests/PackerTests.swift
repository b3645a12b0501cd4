import BundleArchive
import BundleInstall
import BundleStore
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
            let report = try Installer.validate(archive: archive)
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

    /// What is packed of `tree` with a list, and the warnings.
    private func pack(_ tree: [String: String], _ list: String) async throws -> (paths: Set<String>, PackReport) {
        try await withTemporaryDirectory { directory in
            let folder = try directory.write(tree: tree, to: "shop")
            let archive = directory.path(of: "shop.zip")
            let report = try Packer().pack(folder, into: archive, format: .zip, including: IncludeList(list))
            let store = try BundleStore(at: directory.path(of: "store"), creating: true)
            let installer = Installer(store) { _, _, _ in "text/plain" }
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
            let large = String(repeating: "0123456789", count: 200_000)
            let folder = try directory.write(tree: ["bundle.json": Self.manifest, "large": large], to: "shop")
            try directory.write("old", to: "archive")
            let before = try directory.snapshot()
            await #expect(throws: CancellationError.self) {
                try await Task {
                    try Packer().pack(folder, into: directory.path(of: "archive"), format: format) { progress in
                        #expect(progress.done < progress.total)
                        if progress.done > 1_000 { withUnsafeCurrentTask { $0?.cancel() } }
                    }
                }.value
            }
            #expect(try directory.snapshot() == before)
        }
    }

    @Test("Finder's files in the folder are left out of the archive, with a warning")
    func finder() async throws {
        try await withTemporaryDirectory { directory in
            let tree = ["bundle.json": Self.manifest, "a/b.js": "x", ".DS_Store": "x", "a/.DS_Store": "x"]
            let folder = try directory.write(tree: tree, to: "shop")
            let archive = directory.path(of: "shop.zip")
            let report = try Packer().pack(folder, into: archive, format: .zip)
            #expect((report.fileCount, report.byteCount) == (2, Int64(Self.manifest.utf8.count) + 1))
            #expect(report.warnings == ["\(folder): 2 files that macOS added were left out"])
            let installed = try Installer.validate(archive: archive)
            #expect((installed.fileCount, installed.warnings) == (2, []))
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
