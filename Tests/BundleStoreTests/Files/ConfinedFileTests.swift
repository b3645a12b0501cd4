import BundleTesting
import Foundation
import Testing

@testable import BundleStore

/// Files of a folder whose content somebody else decides.
struct ConfinedFileTests {
    private func problem(_ components: [String], in directory: TemporaryDirectory) -> ConfinedFile.Problem? {
        do throws(ConfinedFile.Problem) {
            _ = try ConfinedFile(components, below: directory.path)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a file is read from any position, and no further than its end`() async throws {
        try await withTemporaryDirectory { directory in
            _ = try directory.write("0123456789", to: "a/b/c.txt")
            let file = try ConfinedFile(["a", "b", "c.txt"], below: directory.path)
            #expect(file.byteCount == 10)
            #expect(try file.read(at: 3, atMost: 4) == Array("3456".utf8))
            #expect(try file.read(at: 8, atMost: 4) == Array("89".utf8))
            #expect(try file.read(at: 10, atMost: 4) == [])
        }
    }

    @Test func `the folder may be named by a link`() async throws {
        try await withTemporaryDirectory { directory in
            _ = try directory.write("x", to: "a/b")
            try FileManager.default.createSymbolicLink(
                atPath: directory.path(of: "link"),
                withDestinationPath: directory.path(of: "a")
            )
            #expect(try ConfinedFile(["b"], below: directory.path(of: "link")).byteCount == 1)
        }
    }

    @Test func `links below it aren't followed, wherever they lead`() async throws {
        try await withTemporaryDirectory { directory in
            _ = try directory.write("secret", to: "outside.txt")
            _ = try directory.write("x", to: "feed/a/b")
            for (link, target) in [("feed/up", ".."), ("feed/file", "../outside.txt"), ("feed/in", "a/b")] {
                try FileManager.default.createSymbolicLink(
                    atPath: directory.path(of: link),
                    withDestinationPath: target
                )
            }
            let feed = directory.path(of: "feed")
            for components in [["up", "outside.txt"], ["file"], ["in"], ["a", "b", "c"]] {
                #expect(throws: ConfinedFile.Problem.link) { try ConfinedFile(components, below: feed) }
            }
        }
    }

    @Test func `what isn't a regular file is refused without waiting`() async throws {
        try await withTemporaryDirectory { directory in
            #expect(mkfifo(directory.path(of: "fifo"), 0o600) == 0)
            _ = try directory.write("x", to: "folder/x")
            #expect(problem(["fifo"], in: directory) == .notRegular)
            #expect(problem(["folder"], in: directory) == .notRegular)
            #expect(problem(["none"], in: directory) == .absent)
            #expect(problem(["none", "x"], in: directory) == .absent)
            #expect(throws: ConfinedFile.Problem.notRegular) { try ConfinedFile(["dev", "zero"], below: "") }
        }
    }

    @Test(arguments: [
        ("a", true), ("..a", true), ("", false), (".", false), ("..", false), ("a/b", false), ("a\0", false),
    ])
    func `a name is one name`(text: String, isName: Bool) {
        #expect(ConfinedFile.isName(text) == isName)
    }
}
