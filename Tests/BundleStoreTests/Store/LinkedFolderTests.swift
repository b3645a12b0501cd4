import BundleTesting
import Foundation
import Testing

@testable import BundleStore

@Suite("A link in place of the store's own folder or file")
struct LinkedFolderTests {
    private static let folders = ["segments", "indexes", "cache", "variants", "incoming", "downloads", "locks"]

    /// Replaces something in the store by a link to a folder or file outside, which has the previous content.
    private func link(_ name: String, in directory: TemporaryDirectory) throws {
        let (inside, outside) = (directory.path(of: "store/" + name), directory.path(of: "outside"))
        if FileManager.default.fileExists(atPath: inside) {
            try FileManager.default.moveItem(atPath: inside, toPath: outside)
        } else {
            try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: false)
        }
        try FileManager.default.createSymbolicLink(atPath: inside, withDestinationPath: outside)
    }

    @Test("is refused when the store is opened, and nothing outside changes", arguments: folders, [false, true])
    func opening(_ folder: String, _ creating: Bool) async throws {
        try await withTemporaryDirectory { directory in
            do { try directory.openStore().install("1.0.0") }
            try link(folder, in: directory)
            try directory.write("precious", to: "outside/\(FileIdentifier.random().name)")
            let before = try directory.snapshot(of: "outside").entries
            let error = #expect(throws: BundleError.self) {
                try BundleStore(at: directory.path(of: "store"), creating: creating)
            }
            #expect(error?.code == .storeUnavailable)
            #expect(error?.message.hasPrefix(directory.path(of: "store/\(folder) is a link")) == true)
            #expect(try directory.snapshot(of: "outside").entries == before)
        }
    }

    @Test(
        "is refused before something is deleted by a process that had opened the store",
        arguments: folders.dropLast()
    )
    func pruning(_ folder: String) async throws {
        try await withStore { store, directory in
            try store.install("1.0.0")
            try link(folder, in: directory)
            let names = ["\(FileIdentifier.random().name)", "\(Digest(of: [1]).hex).part", "\(Digest(of: [1]).hex).br"]
            for name in names {
                try directory.write("precious", to: "outside/\(name)")
                let longAgo = Date(timeIntervalSinceNow: -30 * 24 * 60 * 60)
                let path = directory.path(of: "outside/\(name)")
                try FileManager.default.setAttributes([.modificationDate: longAgo], ofItemAtPath: path)
            }
            let error = #expect(throws: BundleError.self) { try store.prune(keeping: 0) }
            #expect(error?.message.contains("is a link") == true)
            #expect(try directory.snapshot(of: "outside").files.count >= names.count)
        }
    }

    @Test("is refused in place of the catalog", arguments: ["", "-wal", "-shm"])
    func catalog(_ suffix: String) async throws {
        try await withTemporaryDirectory { directory in
            do { try directory.openStore().install("1.0.0") }
            try link("catalog.sqlite" + suffix, in: directory)
            let before = try directory.read("outside")
            let error = #expect(throws: BundleError.self) { try directory.openStore() }
            #expect(error?.code == .storeUnavailable)
            #expect(error?.message.contains("catalog.sqlite\(suffix) is a link") == true)
            #expect(try directory.read("outside") == before)
        }
    }

    @Test("isn't followed in place of a download")
    func download() async throws {
        try await withStore { store, directory in
            let path = store.downloadPath(for: DownloadKey(Digest(of: [1]), of: nil))
            try directory.write("precious", to: "outside")
            try FileManager.default.createSymbolicLink(
                atPath: path,
                withDestinationPath: directory.path(of: "outside")
            )
            let error = #expect(throws: BundleError.self) { try DownloadFile(path) }
            #expect(error?.code == .storeUnavailable)
            #expect(error?.message.contains("it is a link, which isn't followed") == true)
            #expect(try directory.read("outside") == Array("precious".utf8))
        }
    }

    @Test("is allowed in place of the store's folder itself")
    func root() async throws {
        try await withTemporaryDirectory { directory in
            do { try directory.openStore().install("1.0.0") }
            try FileManager.default.createSymbolicLink(
                atPath: directory.path(of: "link"),
                withDestinationPath: directory.path(of: "store")
            )
            let store = try BundleStore(at: directory.path(of: "link"), creating: true)
            try store.install("2.0.0", ["index.html": "two"])
            try store.prune(keeping: 0)
            #expect(try store.versions() == ["2.0.0"])
        }
    }
}
