import BundleTesting
import Foundation
import SystemPackage
import Testing

@testable import BundleStore

struct StagingFolderTests {
    private static let identifier = String(repeating: "0a", count: 16)

    private func names(_ directory: TemporaryDirectory) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    }

    @Test("what a killed process has left for the same destination is removed by the next one, with all that is in it")
    func abandoned() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("x", to: ".out.\(Self.identifier).part/deep/file")
            let folder = try StagingFolder(for: FilePath(directory.path(of: "out")))
            #expect(try names(directory) == [folder.path.lastName])
        }
    }

    @Test("what is being written for the same destination stays")
    func live() async throws {
        try await withTemporaryDirectory { directory in
            let destination = FilePath(directory.path(of: "out"))
            let folders = try (0..<3).map { _ in try StagingFolder(for: destination) }
            #expect(try names(directory) == folders.map(\.path.lastName).sorted())
        }
    }

    @Test(
        "what only looks like it stays",
        arguments: [
            ".other.\(identifier).part/x", ".out.\(identifier).part", ".out.\(identifier)", ".out.1.part/x",
            "out.\(identifier).part/x",
        ]
    )
    func strangers(_ name: String) async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("x", to: name)
            let before = try directory.snapshot()
            do { _ = try StagingFolder(for: FilePath(directory.path(of: "out"))) }
            #expect(try directory.snapshot() == before)
        }
    }

    @Test("a link of that name is neither followed nor removed")
    func link() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("x", to: "elsewhere/x")
            try FileManager.default.createSymbolicLink(
                atPath: directory.path(of: ".out.\(Self.identifier).part"),
                withDestinationPath: directory.path(of: "elsewhere")
            )
            let before = try directory.snapshot()
            do { _ = try StagingFolder(for: FilePath(directory.path(of: "out"))) }
            #expect(try directory.snapshot() == before)
        }
    }

    @Test("it takes an empty folder's place, and no other's; nothing is left then")
    func place() async throws {
        try await withTemporaryDirectory { directory in
            let destination = FilePath(directory.path(of: "out"))
            for isEmpty in [true, false] {
                let folder = try StagingFolder(for: destination)
                try directory.write("\(isEmpty)", to: "\(folder.path.lastName)/file")
                if isEmpty { try folder.takePlace() } else { #expect(throws: Errno.self) { try folder.takePlace() } }
            }
            #expect(try directory.snapshot().files.keys.sorted() == ["out/file"])
            #expect(try names(directory) == ["out"])
        }
    }
}
