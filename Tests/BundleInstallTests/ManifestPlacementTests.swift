import BundleArchive
import BundleInstall
import BundleStore
import BundleTesting
import Testing

@Suite("The manifest of an archive")
struct ManifestPlacementTests {
    private func bytes(_ files: [String: String], _ fixture: InstallFixture) throws -> [UInt8] {
        _ = try fixture.pack(files)
        return try fixture.directory.read("archive")
    }

    private func nested(_ folder: String, _ files: [String: String] = InstallFixture.files()) -> [String: String] {
        Dictionary(uniqueKeysWithValues: files.map { ("\(folder)/\($0.key)", $0.value) })
    }

    @Test("is found at the root, even beside others in folders")
    func root() async throws {
        try await InstallFixture.use { fixture in
            let files = InstallFixture.files().merging(nested("inner", InstallFixture.files("9.0.0"))) { $1 }
            #expect(try fixture.install(files).version.string == "1.0.0")
            let release = try fixture.release()
            #expect(release.texts == files.mapValues { $0 })
        }
    }

    @Test("is found in the single top-level folder, which is removed", arguments: ["shop-1.0.0", "größe", "a b"])
    func topFolder(_ folder: String) async throws {
        try await InstallFixture.use { fixture in
            let report = try fixture.install(nested(folder))
            #expect(report.fileCount == 5)
            #expect(try fixture.release().texts == InstallFixture.files().mapValues { $0 })
        }
    }

    @Test("is found in the single top-level folder of a zip made by Finder, and Finder's own files are left out")
    func finder() async throws {
        try await InstallFixture.use { fixture in
            let files = nested("shop")
            let added = [".DS_Store": "x", "shop/assets/.DS_Store": "x", "__MACOSX/shop/._index.html": "x"]
            let report = try fixture.install(files.merging(added) { $1 })
            #expect(report.fileCount == 5)
            #expect(try fixture.release().texts == InstallFixture.files().mapValues { $0 })
            let archive = fixture.directory.path(of: "archive")
            #expect(report.warnings == ["\(archive): 3 files that macOS added were left out"])
        }
    }

    @Test("isn't found in one of two top-level folders, deeper, or beside a stray file")
    func notFound() async throws {
        try await InstallFixture.use { fixture in
            let archives = [
                nested("one").merging(nested("two")) { $1 }, nested("one/two"), ["index.html": "x"],
                nested("one").merging(["stray.txt": "x"]) { $1 }, ["BUNDLE.JSON": InstallFixture.manifest()],
            ]
            for files in archives {
                try fixture.expectRefusal(try bytes(files, fixture), "has no bundle.json", code: .invalidManifest)
            }
        }
    }

    @Test("isn't searched for in a thousand folders")
    func manyFolders() async throws {
        try await InstallFixture.use { fixture in
            let files = Dictionary(
                uniqueKeysWithValues: (0..<1_000).map { ("\($0)/bundle.json", InstallFixture.manifest()) }
            )
            try fixture.expectRefusal(try bytes(files, fixture), "has no bundle.json", code: .invalidManifest)
        }
    }

    @Test("may be given for an archive that has none")
    func options() async throws {
        try await InstallFixture.use { fixture in
            var options = InstallOptions()
            options.manifest = try BundleManifest.parse(Array(InstallFixture.manifest("3").utf8)).manifest
            let report = try fixture.install(["page.html": "x"], options: options)
            #expect((report.version.string, report.fileCount) == ("3", 1))
            #expect(try fixture.release("3").texts == ["page.html": "x"])
        }
    }

    @Test("whose absence leaves all files in one folder is a warning, unless the entry is there")
    func topFolder() async throws {
        try await InstallFixture.use { fixture in
            var options = InstallOptions()
            for (version, entry, files, isWarned) in [
                ("3", "", ["dist/index.html": "x", "dist/a/b.js": "y"], true),
                ("4", #", "entry": "dist/index.html""#, ["dist/index.html": "x"], false),
                ("5", "", ["dist/index.html": "x", "b.js": "y"], false), ("6", "", ["index.html": "x"], false),
            ] {
                options.manifest = try BundleManifest.sample("shop", version, #""origins": []"# + entry)
                let report = try fixture.install(files, options: options)
                #expect(report.warnings.contains { $0.contains("its pages open below /dist/") } == isWarned)
                #expect(try fixture.release(version).texts == files)
            }
        }
    }

    @Test("must not contradict the given one")
    func contradiction() async throws {
        try await InstallFixture.use { fixture in
            var options = InstallOptions()
            options.manifest = try BundleManifest.parse(Array(InstallFixture.manifest("3").utf8)).manifest
            let archive = try bytes(InstallFixture.files(), fixture)
            try fixture.expectRefusal(archive, "shop@1.0.0, not shop@3", code: .invalidManifest, options: options)
            options.manifest = try BundleManifest.parse(Array(InstallFixture.manifest().utf8)).manifest
            #expect(try fixture.install(archive, options: options).outcome == .installed)
        }
    }

    @Test(
        "that is invalid is refused, and the error names the key",
        arguments: [
            (#"{"name": "shop", "version": 1, "origins": []}"#, "version: must be a string"),
            (#"{"name": "shop"}"#, "“version” is missing"), ("", "line 1, column 1"), ("{", "line 1"),
            ("[]", "must be an object"),
            (String(repeating: " ", count: 1 << 20) + "{}", "the limit is 1048576"),
        ]
    )
    func wrong(_ manifest: String, _ words: String) async throws {
        try await InstallFixture.use { fixture in
            let archive = try bytes(["bundle.json": manifest, "index.html": "x"], fixture)
            try fixture.expectRefusal(archive, words, code: .invalidManifest)
        }
    }

    @Test(
        "that names a missing file is refused, and the error names the key",
        arguments: [
            (#", "fallback": {"file": "spa.html"}"#, "fallback.file: “spa.html”"),
            (#", "offlinePage": "offline.html""#, "offlinePage: “offline.html”"),
            (#", "entry": "start.html""#, "entry: “start.html”"), (#", "entry": "assets""#, "entry: “assets”"),
        ]
    )
    func missingFile(_ more: String, _ words: String) async throws {
        try await InstallFixture.use { fixture in
            let archive = try bytes(InstallFixture.files(more: more), fixture)
            try fixture.expectRefusal(archive, words, code: .invalidManifest)
        }
    }

    @Test("needs no index.html unless it names it")
    func defaultEntry() async throws {
        try await InstallFixture.use { fixture in
            #expect(try fixture.install(["bundle.json": InstallFixture.manifest()]).outcome == .installed)
            _ = try fixture.release()
        }
    }

    @Test("may have unknown keys, which are reported")
    func unknownKey() async throws {
        try await InstallFixture.use { fixture in
            let report = try fixture.install(InstallFixture.files(more: #", "colour": "red""#))
            #expect(report.warnings.count == 1)
            #expect(report.warnings.first?.contains("colour") == true)
            #expect(try fixture.install(InstallFixture.files("2.0.0")).warnings.isEmpty)
        }
    }

    @Test(
        "must be the one that was advertised",
        arguments: [("shop", "1.0.1"), ("news", "1.0.0"), ("shop", "1.0.0+a")]
    )
    func expected(_ name: String, _ version: String) async throws {
        try await InstallFixture.use { fixture in
            var options = InstallOptions()
            options.expected = (try #require(BundleName(name)), try #require(BundleVersion(version)))
            let archive = try bytes(InstallFixture.files(), fixture)
            let words = "holds shop@1.0.0, but \(name)@\(version) was advertised"
            try fixture.expectRefusal(archive, words, code: .invalidFeed, options: options)
        }
    }
}
