import BundleTesting
import Testing

@testable import BundleStore

@Suite("VersionIndex")
struct VersionIndexTests {
    @Test("every entry comes back as it was written, in the order of the paths' bytes")
    func roundTrip() async throws {
        try await withStore { store, _ in
            let paths = [
                "index.html", "größe/日本語/ページ.html", "emoji-🚀.svg", "a", "Z", "a/b", "a-b", "cafe\u{301}.txt",
                String(repeating: "x", count: 255), Array(repeating: "d", count: 64).joined(separator: "/"),
            ]
            let segments = (0..<3).map { FileIdentifier(value: UInt128($0)) }
            let files = try paths.enumerated().map { number, path in
                try VersionIndexWriter.File.made(
                    path,
                    content: "content \(number)",
                    mediaType: "text/\(number % 4)",
                    segment: segments[number % 3]
                )
            }
            let index = try store.layout.writeIndex(files)
            #expect(index.names == files.map(\.path).sorted().map(\.string))
            #expect(Set(index.segments) == Set(segments))
            for file in files {
                let entry = try #require(index.find(file.path.string))
                #expect(entry.digest == file.digest)
                #expect(index.mediaTypes[entry.mediaType] == file.mediaType)
                #expect(index.segments[entry.segment] == file.location.segment)
                #expect((entry.offset, entry.byteCount) == (file.location.offset, file.location.byteCount))
                #expect(index.find(digest: file.digest)?.digest == file.digest)
            }
            #expect(index.isIntact())
        }
    }

    @Test("the same files in any order give the same bytes")
    func order() async throws {
        try await withStore { store, directory in
            let files = try (0..<50).map { try VersionIndexWriter.File.made("\($0)", content: "\($0 % 7)") }
            var random = SeededGenerator(seed: 1)
            let first = try store.layout.writeIndex(files)
            let second = try store.layout.writeIndex(files.shuffled(using: &random))
            #expect(
                try directory.read("store/indexes/\(first.identifier.name).index")
                    == directory.read("store/indexes/\(second.identifier.name).index")
            )
        }
    }

    @Test(
        "a path that isn't there is a miss",
        arguments: ["", "/", "a", "a/", "a/b/", "A/B", "a/b ", "/a/b", "a/b\0", "caf\u{65}\u{301}", "a//b"]
    )
    func miss(_ path: String) async throws {
        try await withStore { store, _ in
            let files = try ["a/b", "caf\u{E9}"].map { try VersionIndexWriter.File.made($0, content: $0) }
            let index = try store.layout.writeIndex(files)
            #expect(index.find(path) == nil)
            #expect(index.find(digest: Digest(of: Array("nothing".utf8))) == nil)
        }
    }

    @Test("an index without entries has only misses")
    func empty() async throws {
        try await withStore { store, _ in
            let index = try store.layout.writeIndex([])
            #expect(index.count == 0)
            #expect(index.find("index.html") == nil)
            #expect(index.find(digest: Digest(of: [])) == nil)
            #expect(index.entry(0) == nil)
            #expect(index.isIntact())
        }
    }

    @Test("65,536 files are all found, and nothing else")
    func many() async throws {
        try await withStore { store, _ in
            let files = try (0..<65_536).map { try VersionIndexWriter.File.made("p/\($0).html", content: "\($0)") }
            let index = try store.layout.writeIndex(files)
            #expect(index.count == files.count)
            let wrong = files.filter { file in
                guard let entry = index.find(file.path.string) else { return true }
                return entry.digest != file.digest || index.find(digest: file.digest)?.digest != file.digest
            }
            #expect(wrong.isEmpty)
            #expect(!(0..<10_000).contains { index.find("q/\($0).html") != nil })
        }
    }

    @Test("thousands of files of equal content are all found, and their content through the first")
    func equalContents() async throws {
        try await withStore { store, _ in
            let files = try (0..<8_000).map { try VersionIndexWriter.File.made("\($0)", content: "same") }
            let index = try store.layout.writeIndex(files)
            #expect(files.allSatisfy { index.find($0.path.string)?.digest == $0.digest })
            let found = try #require(index.find(digest: Digest(of: Array("same".utf8))))
            #expect(index.name(of: found)?.elementsEqual("0".utf8) == true)
            #expect(index.find(digest: Digest(of: Array("other".utf8))) == nil)
        }
    }

    @Test("more media types than the format can number are refused, and nothing is written")
    func mediaTypes() async throws {
        try await withStore { store, directory in
            let files = try (0...65_535).map {
                try VersionIndexWriter.File.made("\($0)", content: "", mediaType: "a/\($0)")
            }
            _ = try VersionIndexWriter(files.dropLast())
            let error = #expect(throws: BundleError.self) { try VersionIndexWriter(files) }
            #expect(error?.code == .invalidArchive)
            #expect(try directory.names(in: "indexes").isEmpty)
            withExtendedLifetime(store) {}
        }
    }
}
