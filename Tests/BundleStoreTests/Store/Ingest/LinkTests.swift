import BundleTesting
import Testing

@testable import BundleStore

@Suite("Links of a release")
struct LinkTests {
    /// Ingests files whose content is their path, and links.
    private func ingest(_ files: [String], _ links: [(String, String)], hard: Bool = false, into store: BundleStore)
        throws
        -> ReleaseIngest
    {
        let ingest = try store.beginIngest()
        for (path, target) in links { try ingest.addLink(BundlePath(path), to: target, hard ? .hard : .symbolic) }
        for path in files {
            if path.hasSuffix("/") {
                try ingest.addFolder(BundlePath(String(path.dropLast())))
            } else {
                try ingest.add(path, Array(path.utf8))
            }
        }
        return ingest
    }

    @Test(
        "that stay inside are replaced by their targets",
        arguments: [
            (["a"], [("l", "a")], ["l": "a"]),
            (["d/a"], [("l", "d/a")], ["l": "d/a"]),
            (["d/a"], [("d/l", "a")], ["d/l": "d/a"]),
            (["a"], [("d/e/l", "../../a")], ["d/e/l": "a"]),
            (["a"], [("l", "./x/.././a")], ["l": "a"]),
            (["d/a", "d/b/c"], [("l", "d")], ["l/a": "d/a", "l/b/c": "d/b/c"]),
            (["d/a", "d-x", "d.y/z"], [("l", "d/")], ["l/a": "d/a"]),
            (["a"], [("l", "m"), ("m", "n"), ("n", "a")], ["l": "a", "m": "a", "n": "a"]),
            // Through a link to a folder.
            (["d/a"], [("l", "d"), ("m", "l/a")], ["l/a": "d/a", "m": "d/a"]),
            // A link's “..” is relative to the link's destination, as in a file system.
            (["x/y/a", "x/b"], [("l", "x/y"), ("m", "l/../b")], ["l/a": "x/y/a", "m": "x/b"]),
            // A folder that contains links.
            (
                ["p/a", "v2/b"], [("v2/now", "../p"), ("latest", "v2")],
                ["v2/now/a": "p/a", "latest/b": "v2/b", "latest/now/a": "p/a"]
            ),
            // A folder that contains only links.
            (["a"], [("d/l", "../a"), ("m", "d")], ["d/l": "a", "m/l": "a"]),
            (["caf\u{E9}/a"], [("l", "cafe\u{301}")], ["l/a": "caf\u{E9}/a"]),
            (["empty/", "a"], [("l", "empty")], [:]),
        ] as [([String], [(String, String)], [String: String])]
    )
    func inside(_ files: [String], _ links: [(String, String)], _ expected: [String: String]) async throws {
        try await withStore { store, _ in
            let release = try ingest(files, links, into: store).seal()
            let counts = (release.fileCount, release.byteCount, release.newByteCount)
            let paths = files.filter { !$0.hasSuffix("/") }
            #expect(counts.0 == paths.count + expected.count)
            let texts = Dictionary(uniqueKeysWithValues: paths.map { ($0, $0) }).merging(expected) { $1 }
            #expect(counts.1 == texts.values.reduce(0) { $0 + UInt64($1.utf8.count) })
            #expect(counts.2 == Set(texts.values).reduce(0) { $0 + UInt64($1.utf8.count) })
            _ = try release.commit(
                manifest("1.0.0"),
                mediaType: { _, _ in "" },
                marking: .none,
                activating: true,
                replacing: false,
                waits: false
            )
            #expect(try store.release("1.0.0").texts == texts.mapValues { $0 })
            #expect(try store.verify().isEmpty)
        }
    }

    @Test("that are hard are relative to the root", arguments: ["d/a", "./d/a", "d//a"])
    func hard(_ target: String) async throws {
        try await withStore { store, _ in
            let release = try ingest(["d/a"], [("e/l", target)], hard: true, into: store).seal()
            let found = try release.files(among: [BundlePath("e/l")])
            #expect(found.count == 1)
        }
    }

    @Test(
        "are refused with the reason",
        arguments: [
            (["a"], [("l", "../a")], "“l” is a link to “../a”, which leaves the bundle; pack the file itself"),
            (["a"], [("d/l", "../../a")], "which leaves the bundle"),
            (["a"], [("l", "/etc/passwd")], "which leaves the bundle"),
            (["a"], [("m", "l"), ("l", "d/../../../a")], "which leaves the bundle"),
            (["a"], [("l", "b")], "“l” is a link to “b”, which isn't there"),
            // A target is relative to the link's folder, where there is no such file.
            (["a"], [("d/l", "a")], "which isn't there"),
            (["a"], [("l", "")], "which leads back"),
            (["a"], [("l", "b\\c")], "which isn't there"),
            (["a"], [("l", String(repeating: "a/", count: 90))], "which isn't there"),
            (["a"], [("l", "l")], "“l” is a link to “l”, which leads back to the link"),
            (["a"], [("l", "m"), ("m", "l")], "which leads back"),
            (["a"], [("d/l", ".")], "which leads back"),
            (["a"], [("d/l", "..")], "which leads back"),
            (["d/a"], [("d/l", "../d")], "which leads back"),
            (["d/a", "e/a"], [("d/l", "../e"), ("e/l", "../d")], "which leads back"),
            (["l/a"], [("l", "b")], "“l” is a link, and other entries lie below it"),
            (["l/"], [("l", "b")], "“l” is a link, and other entries lie below it"),
            (["b/a"], [("l", "b"), ("l/m", "a")], "“l” is a link, and other entries lie below it"),
            (["l", "b"], [("l", "b")], "“l” comes twice"),
            (["L", "b"], [("l", "b")], "“L” and “l” differ only in upper and lower case"),
        ] as [([String], [(String, String)], String)]
    )
    func refused(_ files: [String], _ links: [(String, String)], _ words: String) async throws {
        try await withStore { store, _ in
            let error = try ingest(files, links, into: store).sealingFailure() as? BundleError
            #expect(error?.code == .invalidArchive)
            #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        }
    }

    @Test("are followed up to forty in a row", arguments: [39, 40, 41])
    func chain(_ count: Int) async throws {
        try await withStore { store, _ in
            let links = (0..<count).map { ("l\($0)", $0 == 0 ? "a" : "l\($0 - 1)") }
            let ingest = try ingest(["a"], links, into: store)
            if count <= LinkTable.maximumHopCount {
                let fileCount = try ingest.seal().fileCount
                #expect(fileCount == count + 1)
            } else {
                let error = ingest.sealingFailure() as? BundleError
                #expect(error?.message.contains("leads on through over 40 links") == true)
            }
        }
    }

    @Test("can be interrupted while they are followed, and while names are compared", arguments: [0, 1, 2, 5, 9])
    func checkpoint(stepCount: Int) async throws {
        try await withStore { store, _ in
            let ingest = try ingest(["d/a", "d/b"], [("l", "d"), ("m", "l/a")], into: store)
            var left = stepCount
            let error = ingest.sealingFailure {
                if left == 0 { throw CancellationError() }
                left -= 1
            }
            #expect(error is CancellationError)
        }
    }

    @Test("can't multiply their targets beyond the limits")
    func bombs() async throws {
        try await withStore { store, _ in
            // Each folder has two links to the next one: a million copies of one file.
            let links = (0..<20).flatMap { level in ["x", "y"].map { ("d\(level)/\($0)", "../d\(level + 1)") } }
            let error = try ingest(["d20/a"], links, into: store).sealingFailure() as? BundleError
            #expect(error?.message.contains("one of too many that lead to folders with links") == true)

            let files = (0..<10).map { "d/\($0)" }
            let links2 = (0..<10).map { ("l\($0)", "d") }
            for (fileLimit, byteLimit, isRefused) in [(110, 330, false), (109, 330, true), (110, 329, true)]
                as [(Int, UInt64, Bool)]
            {
                let ingest = try ingest(files, links2, into: store)
                do {
                    let release = try ingest.seal(maximumFileCount: fileLimit, maximumByteCount: byteLimit)
                    let counts = (release.fileCount, release.byteCount)
                    #expect(!isRefused)
                    #expect(counts == (110, 330))
                } catch let error as BundleError {
                    #expect(isRefused)
                    #expect(error.message.contains("than the limits allow"))
                }
            }
        }
    }

    @Test("can't exceed what is held in memory")
    func tooMany() async throws {
        try await withStore { store, _ in
            let ingest = try store.beginIngest()
            let error = #expect(throws: BundleError.self) {
                for number in 0...LinkTable.maximumCount {
                    try ingest.addLink(BundlePath("\(number)"), to: "a", .symbolic)
                }
            }
            #expect(error?.message.contains("over 30000 links") == true)
            let long = try store.beginIngest()
            let target = String(repeating: "a/", count: 1 << 15)
            #expect(throws: BundleError.self) {
                for number in 0..<300 { try long.addLink(BundlePath("\(number)"), to: target, .symbolic) }
            }
        }
    }
}
