import BundleTesting
import Foundation
import SystemPackage
import Testing

@testable import BundleStore

struct StagingFolderTests {
    @Test("only this user can use it, and a scratch folder")
    func mode() async throws {
        try await withTemporaryDirectory { directory in
            let staging = try StagingFolder(for: FilePath(directory.path(of: "out")))
            let scratch = try ScratchFolder()
            for path in [staging.path.string, scratch.path] {
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                #expect(attributes[.posixPermissions] as? Int == 0o700)
            }
        }
    }

    @Test("a scratch folder is removed with what is in it")
    func scratch() throws {
        func use() throws -> String {
            let folder = try ScratchFolder()
            #expect(FileManager.default.createFile(atPath: folder.path + "/file", contents: nil))
            return folder.path
        }
        #expect(!FileManager.default.fileExists(atPath: try use()))
    }

    private static let identifier = String(repeating: "0a", count: 16)

    private func names(_ directory: TemporaryDirectory) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    }

    @Test("a folder left by a killed process is removed by the next one for the same destination, with its contents")
    func abandoned() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("x", to: ".out.\(Self.identifier).part/deep/file")
            let folder = try StagingFolder(for: FilePath(directory.path(of: "out")))
            #expect(try names(directory) == [folder.path.lastName])
        }
    }

    @Test("a folder in use for the same destination is kept")
    func live() async throws {
        try await withTemporaryDirectory { directory in
            let destination = FilePath(directory.path(of: "out"))
            let folders = try (0..<3).map { _ in try StagingFolder(for: destination) }
            #expect(try names(directory) == folders.map(\.path.lastName).sorted())
        }
    }

    @Test(
        "a folder with a similar name is kept",
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

    @Test("it replaces an empty folder, and no other, and nothing is left over")
    func place() async throws {
        try await withTemporaryDirectory { directory in
            let destination = FilePath(directory.path(of: "out"))
            for isEmpty in [true, false] {
                let folder = try StagingFolder(for: destination)
                try directory.write("\(isEmpty)", to: "\(folder.path.lastName)/new/file")
                let new = folder.path.appending("new")
                if isEmpty { try folder.publish(new) } else { #expect(throws: Errno.self) { try folder.publish(new) } }
            }
            #expect(try directory.snapshot().files.keys.sorted() == ["out/file"])
            #expect(try names(directory) == ["out"])
        }
    }
}
