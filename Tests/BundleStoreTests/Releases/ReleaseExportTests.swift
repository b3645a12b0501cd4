import BundleTesting
import Foundation
import Testing

@testable import BundleStore

struct ReleaseExportTests {
    private static let files = ["index.html": "<p>", "a/b/é.js": "1", "a/c.js": "1", "empty": ""]

    private func release(in directory: TemporaryDirectory) throws -> Release {
        let store = try BundleStore(at: directory.path(of: "store"), creating: true)
        let manifest = try BundleManifest.sample()
        try store.install(manifest, files: Self.files)
        return try #require(store.snapshot.bundles[manifest.name]?.active)
    }

    @Test("every file is written, to a new folder or an empty one", arguments: [false, true])
    func whole(_ isThere: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let release = try release(in: directory)
            if isThere { try directory.write(tree: [:], to: "out") }
            var reported: [ByteProgress] = []
            try release.export(to: directory.path(of: "out")) { reported.append($0) }
            let written = try directory.snapshot(of: "out").files
            #expect(written == Self.files.mapValues { Digest(of: Array($0.utf8)) })
            #expect(reported.last == ByteProgress(done: release.byteCount, total: release.byteCount))
        }
    }

    @Test("nothing is written when there is no room for all of it")
    func room() async throws {
        try await withTemporaryDirectory { directory in
            let (release, out) = (try release(in: directory), directory.path(of: "out"))
            let error = #expect(throws: BundleError.self) {
                try release.export(to: out, free: { _ in release.exportByteCount - 1 })
            }
            #expect(error?.code == .outputUnavailable && error?.remedy == .freeSpace)
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["store"])
            #expect(release.exportByteCount >= Int64(release.fileCount) * 4_096)
            try release.export(to: out, free: { _ in release.exportByteCount })
        }
    }

    @Test("the folder has the mode of any new folder")
    func mode() async throws {
        try await withTemporaryDirectory { directory in
            try release(in: directory).export(to: directory.path(of: "out"))
            let other = directory.path(of: "other")
            try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
            let modes = try [other, directory.path(of: "out")].map {
                try FileManager.default.attributesOfItem(atPath: $0)[.posixPermissions] as? Int
            }
            #expect(modes[0] == modes[1])
        }
    }

    @Test("a folder that isn't empty, and a file, are left unchanged", arguments: ["full", "full/file"])
    func taken(_ path: String) async throws {
        try await withTemporaryDirectory { directory in
            let release = try release(in: directory)
            try directory.write("mine", to: "full/file")
            let before = try directory.snapshot(of: "full")
            let error = #expect(throws: BundleError.self) { try release.export(to: directory.path(of: path)) }
            #expect(error?.code == .invalidArgument)
            #expect(try directory.snapshot(of: "full") == before)
        }
    }

    @Test("a folder without a parent can't be written")
    func noParent() async throws {
        try await withTemporaryDirectory { directory in
            let release = try release(in: directory)
            let error = #expect(throws: BundleError.self) { try release.export(to: directory.path(of: "no/x")) }
            #expect(error?.code == .outputUnavailable)
            #expect(try directory.snapshot().entries["no"] == nil)
        }
    }

    @Test("a cancelled task ends inside a file, and nothing is left")
    func cancelled() async throws {
        try await withTemporaryDirectory { directory in
            let store = try BundleStore(at: directory.path(of: "store"), creating: true)
            let manifest = try BundleManifest.sample()
            try store.install(manifest, files: ["large": String(repeating: "a", count: 3 << 20)])
            let release = try #require(store.snapshot.bundles[manifest.name]?.active)
            await #expect(throws: CancellationError.self) {
                try await Task {
                    try release.export(to: directory.path(of: "out")) { progress in
                        #expect(progress.done < progress.total)
                        withUnsafeCurrentTask { $0?.cancel() }
                    }
                }.value
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["store"])
        }
    }

    @Test("a damaged file ends the export, and nothing is left")
    func damaged() async throws {
        try await withTemporaryDirectory { directory in
            let release = try release(in: directory)
            let segments = directory.path(of: "store/segments")
            let segment = try #require(FileManager.default.contentsOfDirectory(atPath: segments).first)
            var bytes = try directory.read("store/segments/\(segment)")
            let page = try #require(bytes.firstRange(of: Array("<p>".utf8)))
            bytes[page.lowerBound] = 0
            let handle = try #require(FileHandle(forUpdatingAtPath: "\(segments)/\(segment)"))
            try handle.write(contentsOf: Data(bytes))
            try handle.close()
            let error = #expect(throws: BundleError.self) { try release.export(to: directory.path(of: "out")) }
            #expect(error?.code == .storeDamaged)
            #expect(try directory.snapshot().entries.keys.allSatisfy { !$0.contains("out") })
        }
    }
}
