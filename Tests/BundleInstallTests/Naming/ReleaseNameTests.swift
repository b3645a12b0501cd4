import BundleStore
import BundleTesting
import Testing

/// What an installation decides about the names of whole releases.
@Suite("The immutable files of a release")
struct ReleaseNameTests {
    /// As a small build by Vite leaves them.
    private static let build = [
        "assets/index-DormvYxC.js", "assets/index-BxZ9dK2f.css", "assets/vendor-Cq7RtbWn.js",
        "assets/logo-D3kfHw-p.svg",
        "assets/Page-Bw4LmXo8.js",
    ]

    @Test("are those of a build, whatever the look of one")
    func build() async throws {
        try await withStore { store in
            try store.install("1.0.0", .made(Self.build + ["index.html", "assets/robots.txt"]))
            let found = try store.immutable("1.0.0")
            #expect(Set(found.keys) == Set(Self.build))
            #expect(found["assets/index-DormvYxC.js"] == .siblings)
        }
    }

    @Test(
        "aren't names that people write, beside those of a build or alone",
        arguments: [
            "assets/lib-OAuth2v1.js", "assets/price-2026Q1v2.js", "assets/MyComponent-Story1Ab.js",
            "assets/jquery-3.7.1.min.js",
            "assets/calendar-Internet.js", "assets/words-oxendict.js", "assets/IMG-20231105.png",
            "assets/x-deadbeef.js",
            "assets/chunk-2d0a4c5e.js", "assets/lang-de-DE-v1.js", "index-DormvYxC.js", "x/x-iOS17Pro.js",
            "x/x.H264AAC5.js",
            "assets/data-7487a09fefbe7f9eabb6.json", "7487a09fefbe7f9eabb6.json", "7487a09fefbe7f9eabb6.png",
            "user-550e8400-e29b-41d4-a716-446655440000.png",
        ]
    )
    func written(path: String) async throws {
        try await withStore { store in
            try store.install("1.0.0", .made(Self.build + [path]))
            try store.install("1.0.0", .made([path]), of: "alone")
            #expect(try store.immutable("1.0.0")[path] == nil)
            #expect(try store.immutable("1.0.0", of: "alone")[path] == nil)
        }
    }

    @Test("aren't in a folder of written names, of which a few may be hashes")
    func folderOfNames() async throws {
        try await withStore { store in
            let names = [
                "OAuth2v1", "Story1Ab", "iOS17Pro", "x86Win64", "H264AAC5", "CSS3HTML", "Internet", "Settings",
                "README12",
                "darkMode",
            ]
            try store.install("1.0.0", .made(names.map { "docs/topic-\($0).js" }))
            #expect(try store.immutable("1.0.0").isEmpty)
        }
    }

    @Test(
        "are a script and a style sheet that differ in a hash alone, also without any other",
        arguments: [
            (["assets/index-DormvYxC.js", "assets/index-DkQe2oZ_.css"], true),
            (["assets/index-DormvYxC.mjs", "assets/index-DormvYxD.css"], true),
            (["app.4f3aaaaa.js", "app.5f3aaaaa.css"], true), (["app.4f3aaaaa.js", "app.5f3aaaaa.mjs"], false),
            (["assets/index-DormvYxC.js", "assets/index-DormvYxC.css"], false),
            (["assets/index-DormvYxC.js", "assets/index-DormvYxD.js"], false),
            (["assets/index-DormvYxC.js", "assets/other-DormvYxD.css"], false),
            (["assets/index-DormvYxC.js", "index-DormvYxD.css"], false),
            (["assets/index-DormvYxC.js", "assets/index-DormvYxD.css.map"], false),
            (["assets/index-DormvYxC.js", "assets/index-OAuth2v1.css"], false),
            (["DormvYxC.js", "DormvYxD.css"], false),
        ]
    )
    func pair(_ paths: [String], _ isPair: Bool) async throws {
        try await withStore { store in
            try store.install("1.0.0", .made(paths))
            let found = try store.immutable("1.0.0")
            #expect(found == (isPair ? [paths[0]: .siblings, paths[1]: .siblings] : [:]))
        }
    }

    @Test("are doubtful names only in a folder that is full of hashes")
    func doubtful() async throws {
        try await withStore { store in
            let doubtful = "assets/page-BIpRENEC.js"
            try store.install("1.0.0", .made(Self.build + [doubtful]))
            #expect(try store.immutable("1.0.0")[doubtful] == nil)
            let more = ["Cx3ZkQ9b", "Dp8WnR2c", "B7tYqX4v", "C9mVbK1z", "DkX3hJ6q", "Bz5GfT8w"].map {
                "assets/more-\($0).js"
            }
            try store.install("1.1.0", .made(Self.build + more + [doubtful]))
            #expect(try store.immutable("1.1.0")[doubtful] == .siblings)
        }
    }

    @Test("are those in base32 that look like words, in a folder that is full of it, and no words", arguments: [8, 24])
    func base32(_ count: Int) async throws {
        try await withStore { store in
            let hashes = [
                "4IP3BUAM", "W5QO2EME", "2Z6KXV7A", "Q3T5HJWN", "7BK2DXYQ", "XG4WZ2PL", "K6VQ3RNB", "J5ZX7TCW",
                "3QHVK2GD", "ZB6XJ4FT", "V2KQW7HS", "G7XDZ3QM", "H4JWQ6VX", "6FZTK5BP", "QX3VG2KJ", "N5HBZ7WD",
                "A2CF5EGK", "Z3X6V4BN", "M5N2B7VC", "L4K6J3HG", "P7O2I5UY", "T6R3E4WQ", "D2F7G5HJ", "C4V3B6NM",
            ].prefix(count)
            let wordlike = ["S5TMEARK", "TXIENOWN", "RCEM4C6B"].map { "assets/part-\($0).js" }
            let written = ["INTERNET", "JQUERY36", "REPORT24", "ED2345TH"].map { "assets/other-\($0).js" }
            try store.install("1.0.0", .made(hashes.map { "assets/chunk-\($0).js" } + wordlike + written))
            let found = try store.immutable("1.0.0")
            #expect(wordlike.map { found[$0] } == wordlike.map { _ in count == 24 ? .siblings : nil })
            #expect(written.allSatisfy { found[$0] == nil })
        }
    }

    @Test("are single files, if nobody makes up their names")
    func single() async throws {
        try await withStore { store in
            try store.install("1.0.0", .made(["app.4f3a9c21.js", "x/index.BxZ9dK2f.js"]))
            #expect(try store.immutable("1.0.0") == ["app.4f3a9c21.js": .name, "x/index.BxZ9dK2f.js": .name])
        }
    }

    @Test("are those with the beginning of the content's digest in the name, of any kind")
    func digest() async throws {
        try await withStore { store in
            let hash = Digest(of: Array("{}".utf8)).hex.prefix(16)
            try store.install("1.0.0", ["data.\(hash).json": "{}", "data.\(hash.dropLast())0.json": "{}"])
            #expect(try store.immutable("1.0.0") == ["data.\(hash).json": .digest])
        }
    }

    @Test("are those that a build manifest names")
    func buildManifest() async throws {
        try await withStore { store in
            let document = #"{"main.js": {"file": "assets/main-DormvYxC.js", "name": "main"}}"#
            try store.install(
                "1.0.0",
                [".vite/manifest.json": document, "assets/main-DormvYxC.js": "1", "main-DormvYxD.js": ""]
            )
            #expect(try store.immutable("1.0.0") == ["assets/main-DormvYxC.js": .buildManifest])
        }
    }

    @Test("aren't those that another release has with other content")
    func contradiction() async throws {
        try await withStore { store in
            try store.install("1.0.0", .made(["a.4f3a9c21.js", "b.7487a09f.js", "c/x.4f3a9c21.js", "c/y.5a4b0d32.js"]))
            let changed = [
                "a.4f3a9c21.js": "changed", "b.7487a09f.js": "b.7487a09f.js", "c/x.4f3a9c21.js": "c/x.4f3a9c21.js",
            ]
            try store.install("1.1.0", changed.merging(["n.9c214f3a.js": ""]) { $1 })
            // In that folder one of two has changed, so none counts.
            #expect(try store.immutable("1.1.0") == ["c/x.4f3a9c21.js": .siblings])
        }
    }

    @Test("are a build's new names, beside names that people write and that change", arguments: [1, 2])
    func newBuild(_ count: Int) async throws {
        try await withStore { store in
            let names = ["OAuth2v1", "2026Q1v2", "Story1Ab", "Internet"].prefix(count).map { "assets/x-\($0).js" }
            try store.install("1.0.0", .made(["assets/index-C7VsfKqo.js", "assets/vendor-BgIvDoIS.js"] + names))
            let changed = Dictionary(uniqueKeysWithValues: names.map { ($0, "changed") })
            try store.install("1.1.0", [String: String].made(Self.build).merging(changed) { $1 })
            #expect(Set(try store.immutable("1.1.0").keys) == Set(Self.build))
        }
    }

    @Test("are those in another folder of the build, with a hash of few parts")
    func otherFolder() async throws {
        try await withStore { store in
            let files = [
                "a/bundle.c21346df.min.js", "a/workers/search.2c215733.min.js", "a/main.484c7ddc.min.css",
                "a/palette.ab4e12ef.min.css",
            ]
            try store.install("1.0.0", .made(files + ["b/colour.ff00aa11.png"]))
            #expect(Set(try store.immutable("1.0.0").keys) == Set(files))
        }
    }

    @Test("stay those of a folder in which a single file was overlooked")
    func overlooked() async throws {
        try await withStore { store in
            let files = [String: String].made((10..<40).map { "a.4f3a9c\($0).js" })
            try store.install("1.0.0", files)
            try store.install("1.1.0", files.merging(["a.4f3a9c10.js": "changed"]) { $1 })
            let found = try store.immutable("1.1.0")
            #expect(found.count == 29)
            #expect(found["a.4f3a9c10.js"] == nil)
        }
    }

    @Test(
        "are what the manifest names, and nothing else",
        arguments: [
            ([], []), (["/assets/**"], ["assets/index-DormvYxC.js", "assets/plain.js"]),
            (["/*.js"], ["app.4f3a9c21.js"]),
        ] as [([String], [String])]
    )
    func declared(patterns: [String], expected: [String]) async throws {
        try await withStore { store in
            let files = [String: String].made(["assets/index-DormvYxC.js", "assets/plain.js", "app.4f3a9c21.js"])
            let list = patterns.map { "\"\($0)\"" }.joined(separator: ", ")
            let manifest = try BundleManifest.sample("shop", "1.0.0", #""origins": [], "immutable": [\#(list)]"#)
            try store.install(manifest, files: files.mapValues { "old \($0)" })
            #expect(try store.immutable("1.0.0") == Dictionary(uniqueKeysWithValues: expected.map { ($0, .manifest) }))
            let asset = try #require(store.release("1.0.0").asset(at: BundlePath("assets/index-DormvYxC.js")))
            #expect(asset.hashInPath == (patterns == ["/assets/**"] ? 13..<21 : nil))
        }
    }
}

extension [String: String] {
    /// Files whose contents are their paths.
    fileprivate static func made(_ paths: [String]) -> Self {
        Dictionary(uniqueKeysWithValues: paths.map { ($0, $0) })
    }
}

extension BundleStore {
    fileprivate func install(_ version: String, _ files: [String: String], of name: String = "shop") throws {
        try install(.sample(name, version, #""origins": []"#), files: files)
    }

    fileprivate func release(_ version: String, of name: String = "shop") throws -> Release {
        let bundle = snapshot.bundles[try #require(BundleName(name))]
        let version = try #require(BundleVersion(version))
        return try #require(bundle?.release(version))
    }

    /// The immutable files of a release, and why they are.
    fileprivate func immutable(_ version: String, of name: String = "shop") throws -> [String: Immutability] {
        let assets = try release(version, of: name).assets.compactMap { asset in
            asset.immutability.map { (asset.path, $0) }
        }
        return Dictionary(uniqueKeysWithValues: assets)
    }
}

private func withStore(_ body: (BundleStore) async throws -> Void) async throws {
    try await withTemporaryDirectory { directory in
        try await body(BundleStore(at: directory.path(of: "store"), creating: true))
    }
}
