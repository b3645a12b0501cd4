import BundleTesting
import Testing

@testable import BundleStore

@Suite("Ingesting a release")
struct ReleaseIngestTests {
    private func commit(
        _ release: consuming SealedRelease,
        _ version: String = "1.0.0"
    ) throws -> InstallOutcome {
        try release.commit(
            manifest(version),
            mediaType: { path, _ in path.fileExtension ?? "" },
            marking: .none,
            activating: true,
            replacing: false,
            waits: false
        ).outcome
    }

    /// Also returns the number of new bytes.
    private func install(
        _ files: [String: String],
        _ version: String,
        _ store: BundleStore
    ) throws -> (UInt64, InstallOutcome) {
        let release = try store.ingest(files).seal()
        let newByteCount = release.newByteCount
        return (newByteCount, try commit(release, version))
    }

    @Test("the media type is determined once for each file, from its path and its content")
    func mediaTypes() async throws {
        try await withStore { store, _ in
            var seen: [String] = []
            _ = try store.ingest(["assets/app.js": "let a = 1", "assets/empty.css": ""]).seal().commit(
                manifest("1.0.0"),
                mediaType: { path, content in
                    seen.append(path.string)
                    return "\(path.fileExtension ?? "none");n=\(content.count)"
                },
                marking: .none,
                activating: true,
                replacing: false,
                waits: false
            )
            #expect(seen.sorted() == ["assets/app.js", "assets/empty.css"])
            let types = Dictionary(
                uniqueKeysWithValues: try store.release("1.0.0").assets.map { ($0.path, $0.mediaType) }
            )
            #expect(types == ["assets/app.js": "js;n=9", "assets/empty.css": "css;n=0"])
        }
    }

    @Test(
        "strips a folder only if it contains every file and every link",
        arguments: [
            (["shop/a", "shop/b/c"], "shop", ["a", "b/c"]), (["shop/a", "b"], "shop", nil),
            (["shop/a", "shopping/b"], "shop", nil), (["a", "shop/a"], "shop", nil),
            (["größe/\u{301}a"], "größe", ["\u{301}a"]), (["shop/a"], "Shop", nil), (["shop/a/b"], "shop/a", nil),
            (["other/", "shop/a"], "shop", ["a"]), (["shop/a", "shop/l->a"], "shop", ["a", "l"]),
            (["shop/a", "l->shop/a"], "shop", nil),
        ] as [([String], String, [String]?)]
    )
    func stripping(_ names: [String], _ folder: String, _ expected: [String]?) async throws {
        try await withStore { store, _ in
            let ingest = try store.beginIngest()
            for name in names {
                let link = name.split(separator: "->").map(String.init)
                if link.count == 2 {
                    try ingest.addLink(BundlePath(link[0]), to: link[1], .symbolic)
                } else if name.hasSuffix("/") {
                    try ingest.addFolder(BundlePath(String(name.dropLast())))
                } else {
                    try ingest.add(name, [1])
                }
            }
            var release = try ingest.seal()
            let isStripped = release.stripFolder(folder)
            #expect(isStripped == (expected != nil))
            _ = try commit(release)
            let paths = try store.release("1.0.0").assets.map(\.path)
            let unchanged = names.filter { !$0.hasSuffix("/") }.compactMap {
                $0.split(separator: "->").first.map(String.init)
            }
            #expect(paths == expected ?? unchanged.sorted())
        }
    }

    @Test("a hundred thousand files pass through unlinked temporary files, and are stored unchanged")
    func many() async throws {
        try await withStore { store, directory in
            let ingest = try store.beginIngest()
            var random = SeededGenerator(seed: 6)
            for number in (0..<100_000).shuffled(using: &random) {
                let content = Array("\(number / 2)".utf8)
                try content.withUnsafeBytes {
                    try ingest.add(BundlePath("d\(number % 97)/page-\(number).html"), $0, digest: Digest(of: content))
                }
            }
            #expect(try directory.names(in: "incoming").count == 1, "the segment alone")
            let sealed = try ingest.seal()
            let named = try Set(["d0/page-0.html", "d1/page-98.html", "d1/page-99.html"].map { try BundlePath($0) })
            let found = try sealed.files(among: named).map(\.string).sorted()
            #expect(found == ["d0/page-0.html", "d1/page-98.html"])
            let outcome = try commit(sealed)
            #expect(outcome == .installed)
            let release = try store.release("1.0.0")
            #expect(release.fileCount == 100_000)
            let wrong = (0..<100_000).filter { number in
                let asset = try? release.asset(at: BundlePath("d\(number % 97)/page-\(number).html"))
                return asset?.contents?.array != Array("\(number / 2)".utf8)
            }
            #expect(wrong.isEmpty)
            #expect(release.index.isIntact())
            #expect(try directory.names(in: "incoming").isEmpty)
        }
    }

    @Test("writes only the new bytes to the next version's segment", arguments: [1, 3_000])
    func newBytes(_ unchangedCount: Int) async throws {
        try await withStore { store, directory in
            var files: [String: String] = [:]
            for number in 0..<unchangedCount { files["same/\(number)"] = "unchanged \(number)" }
            try store.install("1.0.0", files.merging(["page": "old"]) { $1 })
            let first = try Set(directory.names(in: "segments"))
            let changes = ["page": "newer", "copy": "newer", "renamed": "old"]
            let (second, secondOutcome) = try install(files.merging(changes) { $1 }, "2.0.0", store)
            #expect(second == 5)
            #expect(secondOutcome == .installed)
            let segment = try #require(Set(directory.names(in: "segments")).subtracting(first).first)
            #expect(try directory.read("store/segments/\(segment)").count == SegmentFormat.headerByteCount + 5)
            let (third, thirdOutcome) = try install(files, "3.0.0", store)
            #expect(third == 0)
            #expect(thirdOutcome == .installed)
            #expect(try directory.names(in: "segments").count == 2)
        }
    }
}
