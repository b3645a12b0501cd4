import BundleTesting
import Testing

@testable import BundleStore

@Suite("VersionIndex")
struct VersionIndexTests {
    @Test("every entry is read back as written, in the order of the paths' bytes")
    func roundTrip() async throws {
        try await withStore { store, _ in
            let paths = [
                "index.html", "größe/日本語/ページ.html", "emoji-🚀.svg", "a", "Z", "a/b", "a-b", "cafe\u{301}.txt",
                String(repeating: "x", count: 255), Array(repeating: "d", count: 64).joined(separator: "/"),
            ]
            let segments = (0..<3).map { FileIdentifier(value: UInt128($0)) }
            let files = try paths.enumerated().map { number, path in
                try IndexedFile.made(
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
            let files = try (0..<50).map { try IndexedFile.made("\($0)", content: "\($0 % 7)") }
            var random = SeededGenerator(seed: 1)
            let key = SipHash.Key(low: 1, high: 2)
            let first = try store.layout.writeIndex(files, key: key)
            let second = try store.layout.writeIndex(files.shuffled(using: &random), key: key)
            #expect(
                try directory.read("store/indexes/\(first.identifier.name).index")
                    == directory.read("store/indexes/\(second.identifier.name).index")
            )
        }
    }

    @Test(
        "an unknown path is a miss",
        arguments: ["", "/", "a", "a/", "a/b/", "A/B", "a/b ", "/a/b", "a/b\0", "caf\u{65}\u{301}", "a//b"]
    )
    func miss(_ path: String) async throws {
        try await withStore { store, _ in
            let files = try ["a/b", "caf\u{E9}"].map { try IndexedFile.made($0, content: $0) }
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

    @Test("65,536 files are all found, and no other path is")
    func many() async throws {
        try await withStore { store, _ in
            let files = try (0..<65_536).map { try IndexedFile.made("p/\($0).html", content: "\($0)") }
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

    @Test("thousands of files of equal content are all found, and the first for their content")
    func equalContents() async throws {
        try await withStore { store, _ in
            let files = try (0..<8_000).map { try IndexedFile.made("\($0)", content: "same") }
            let index = try store.layout.writeIndex(files)
            #expect(files.allSatisfy { index.find($0.path.string)?.digest == $0.digest })
            let found = try #require(index.find(digest: Digest(of: Array("same".utf8))))
            #expect(index.name(of: found)?.elementsEqual("0".utf8) == true)
            #expect(index.find(digest: Digest(of: Array("other".utf8))) == nil)
        }
    }

    @Test("more media types than the format allows are refused, and nothing is written")
    func mediaTypes() async throws {
        try await withStore { store, directory in
            let files = try (0...65_535).map {
                try IndexedFile.made("\($0)", content: "", mediaType: "a/\($0)")
            }
            _ = try store.layout.writeIndex(files.dropLast())
            let error = #expect(throws: BundleError.self) { try store.layout.writeIndex(files) }
            #expect(error?.code == .invalidArchive)
            #expect(try directory.names(in: "indexes").count == 1)
            #expect(try directory.names(in: "incoming").isEmpty)
        }
    }

    @Test("paths that aren't in order are refused", arguments: [["b", "a"], ["a", "a"], ["a/b", "a-b"]])
    func disorder(_ paths: [String]) async throws {
        try await withStore { store, directory in
            do {
                let writer = try IndexWriter(.random(), entryCount: 2, in: store.layout)
                try writer.add(.made(paths[0], content: ""))
                let error = #expect(throws: BundleError.self) { try writer.add(.made(paths[1], content: "")) }
                #expect(error?.code == .storeDamaged)
            }
            #expect(try directory.names(in: "incoming").isEmpty)
        }
    }

    @Test("an index can be rewritten from its own entries, with contents at other locations")
    func rewriting() async throws {
        try await withStore { store, _ in
            let files = try (0..<3_000).map {
                try IndexedFile.made("d/\($0)", content: "\($0)", mediaType: "a/\($0 % 3)")
            }
            let index = try store.layout.writeIndex(files)
            let moved = FileIdentifier(value: 9)
            let identifier = FileIdentifier.random()
            let writer = try IndexWriter(identifier, entryCount: index.count, in: store.layout)
            for number in 0..<index.count {
                let entry = try #require(index.entry(number))
                let location = ContentLocation(segment: moved, offset: entry.offset + 7, byteCount: entry.byteCount)
                let path = try #require(index.name(of: entry))
                try writer.add(
                    path: path,
                    mediaType: index.mediaTypes[entry.mediaType],
                    digest: entry.digest,
                    location: location,
                    mark: entry.mark
                )
            }
            #expect(try writer.finish() == [moved])
            let rewritten = try VersionIndex(identifier, in: store.layout)
            #expect(rewritten.isIntact())
            #expect(rewritten.names == index.names)
            var offsets: Set<UInt64> = []
            var count = 0
            try rewritten.forEachContent { _, location in
                offsets.insert(location.offset)
                count += 1
            }
            #expect((count, offsets) == (3_000, [71]))
        }
    }
}
