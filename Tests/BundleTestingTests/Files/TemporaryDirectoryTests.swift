import BundleStore
import BundleTesting
import Foundation
import Testing

@Suite("TemporaryDirectory")
struct TemporaryDirectoryTests {
    @Test("the folder is there within the scope, and gone with its content after it")
    func scope() async throws {
        let path = try await withTemporaryDirectory { directory in
            try directory.write("x", to: "a/b/c.txt")
            #expect(try directory.read("a/b/c.txt") == [UInt8(ascii: "x")])
            return directory.path
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("the folder is gone after an error too")
    func failure() async {
        struct Failure: Error {
            let path: String
        }
        let failure = await #expect(throws: Failure.self) {
            try await withTemporaryDirectory { throw Failure(path: $0.path) }
        }
        #expect(failure.map { FileManager.default.fileExists(atPath: $0.path) } == false)
    }

    @Test("a snapshot tells files, folders and links apart and sees every change")
    func snapshot() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write(tree: ["a.txt": "one", "b/c.txt": "two"])
            try FileManager.default.createSymbolicLink(atPath: directory.path(of: "link"), withDestinationPath: "b")
            let before = try directory.snapshot()
            #expect(
                before.entries == [
                    "a.txt": .file(Digest(of: Data("one".utf8))),
                    "b": .folder,
                    "b/c.txt": .file(Digest(of: Data("two".utf8))),
                    "link": .link(to: "b"),
                ]
            )
            #expect(before.files.keys.sorted() == ["a.txt", "b/c.txt"])
            #expect(try directory.snapshot() == before)
            try directory.write("TWO", to: "b/c.txt")
            try directory.write("", to: "new")
            #expect(try directory.snapshot().differences(from: before) == ["b/c.txt", "new"])
        }
    }
}
