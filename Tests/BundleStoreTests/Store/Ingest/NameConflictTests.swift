import BundleTesting
import Testing

@testable import BundleStore

@Suite("Names that conflict")
struct NameConflictTests {
    /// The conflict among the names, or nil. A folder ends in a slash.
    private func conflict(_ names: [String]) async throws -> String? {
        var message: String?
        try await withStore { store, _ in
            let ingest = try store.beginIngest()
            for name in names {
                if name.hasSuffix("/") {
                    try ingest.addFolder(BundlePath(String(name.dropLast())))
                } else {
                    try ingest.add(name, [1])
                }
            }
            do {
                _ = try ingest.seal()
            } catch let error as BundleError {
                #expect(error.code == .invalidArchive)
                message = error.message
            }
        }
        return message
    }

    @Test(
        "are both named in the refusal, in any order of entries",
        arguments: [
            (["a", "a"], "“a” comes twice; pack it once"),
            (["caf\u{E9}", "cafe\u{301}"], "“caf\u{E9}” comes twice"),
            (["x/y/z", "b", "x/y/z"], "“x/y/z” comes twice"),
            (["a", "a/b"], "“a” is a file and a folder; rename one of them"),
            (["a", "a-b", "a/b/c"], "“a” is a file and a folder"),
            (["a/b", "a/b/c/d", "a/x"], "“a/b” is a file and a folder"),
            (["a", "a/"], "“a” is a file and a folder"),
            (["a/b/", "a"], "“a” is a file and a folder"),
            (["README", "readme"], "“README” and “readme” differ only in upper and lower case"),
            (["a/B/c", "a/b/d"], "“a/B” and “a/b” differ only in upper and lower case"),
            (["A/", "a/"], "“A” and “a” differ only in upper and lower case"),
            (["A", "a/b"], "“A” and “a” differ only in upper and lower case"),
            (["GRÖSSE", "größe"], "“GRÖSSE” and “größe” differ only in upper and lower case"),
            (["straße", "STRASSE"], "“STRASSE” and “straße” differ only in upper and lower case"),
            (["ΟΔΟΣ", "οδος"], "“ΟΔΟΣ” and “οδος” differ only in upper and lower case"),
            (["οδος", "οδοσ"], "“οδος” and “οδοσ” differ only in upper and lower case"),
            (["e\u{301}", "\u{C9}"], "“\u{C9}” and “\u{E9}” differ only in upper and lower case"),
        ] as [([String], String)]
    )
    func refused(_ names: [String], _ words: String) async throws {
        for names in [names, names.reversed()] {
            let message = try await conflict(names)
            #expect(message?.contains(words) == true, "\(message ?? "none")")
        }
    }

    @Test(
        "are only those",
        arguments: [
            ["a", "b"], ["a/", "a/b", "a/", "a/c/"], ["a", "a-b", "ab/c"], ["a/b", "a-b", "a.b/c"], ["ı", "j"],
            ["k", "K2"], ["a/x", "b/x", "a/y", "b/X2"], ["文件", "文書"],
        ]
    )
    func allowed(_ names: [String]) async throws {
        #expect(try await conflict(names) == nil)
    }

    @Test("are found in any part of the names", arguments: [1, 7, 1_000])
    func parts(_ partNodeCount: Int) async throws {
        try await withStore { store, _ in
            let records = RecordSorter(in: store.layout)
            func add(_ path: String) throws {
                try Array(path.utf8).withUnsafeBytes { try records.append(.file, $0, .none) }
            }
            for number in 0..<200 { try add("d\(number % 20)/\(number)") }
            #expect(try NameCheck(partNodeCount: partNodeCount).conflict(in: records) == nil)
            try add("D7/x")
            let conflict = try NameCheck(partNodeCount: partNodeCount).conflict(in: records)
            #expect([conflict?.first.path, conflict?.second.path] == ["D7", "d7"])
        }
    }

    @Test("are found among a hundred thousand")
    func many() async throws {
        try await withStore { store, _ in
            let ingest = try store.beginIngest()
            let digest = Digest(of: [])
            let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
            for number in 0..<100_000 {
                try ingest.add(BundlePath("folder-\(number / 100)/page-\(number).html"), nothing, digest: digest)
            }
            try ingest.add(BundlePath("folder-7/PAGE-777.html"), nothing, digest: digest)
            let error = ingest.sealingFailure() as? BundleError
            #expect(error?.message.contains("“folder-7/PAGE-777.html” and “folder-7/page-777.html”") == true)
        }
    }
}
