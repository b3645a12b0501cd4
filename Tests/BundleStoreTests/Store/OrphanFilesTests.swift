import BundleTesting
import Foundation
import Testing

@testable import BundleStore

@Suite("Unreferenced files")
struct OrphanFilesTests {
    private static let old = ["index.html": "page 1", "shared.js": "shared"]
    private static let new = ["index.html": "page 2", "shared.js": "new"]
    private static let catalogFiles = ["", "-wal", "-shm"].map { "catalog.sqlite" + $0 }

    /// Provides the folder of a closed store whose catalog is as it was before an update.
    private func withEarlierCatalog(_ body: (TemporaryDirectory) throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            do { try directory.openStore().install("1.0.0", Self.old) }
            let earlier = try Self.catalogFiles.map { ($0, try directory.read("store/" + $0)) }
            do {
                let store = try directory.openStore()
                try store.install("2.0.0", Self.new)
                try store.prune(keeping: 0)
            }
            for (file, bytes) in earlier { try directory.write(bytes, to: "store/" + file) }
            try body(directory)
        }
    }

    private func contents(_ directory: TemporaryDirectory) throws -> [String] {
        try directory.names(in: "segments") + directory.names(in: "indexes")
    }

    @Test("are kept while the catalog names missing files: it may have lost the records of them")
    func earlierCatalog() async throws {
        try await withEarlierCatalog { directory in
            let before = try contents(directory)
            #expect(before.count == 2)
            let store = try directory.openStore()
            let report = try store.prune(keeping: 0)
            #expect(try contents(directory) == before)
            #expect(report.fileCount == 0)
            #expect(report.warnings.count == 1)
            #expect(report.warnings.first?.problem.contains("2 files with") == true)
            #expect(report.warnings.first?.remedy == .repairBeforePruning)
        }
    }

    @Test("are removed when nothing is damaged any more")
    func repaired() async throws {
        try await withEarlierCatalog { directory in
            let store = try directory.openStore()
            try store.install("2.0.0", Self.new)
            try store.prune()
            #expect(try contents(directory).count == 4)
            try store.remove(name("shop"), version("1.0.0"))
            #expect(try store.prune().warnings == [])
            #expect(try contents(directory).count == 2)
            #expect(try directory.openStore().verify() == [])
            #expect(try store.release("2.0.0").texts == Self.new.mapValues { $0 })
        }
    }

    /// A log has a header of 32 bytes, and frames of 24 and 4,096; see “WAL File Format” in SQLite's documentation.
    @Test("aren't there any more in the catalog either, whatever becomes of its log", arguments: -1...20)
    func damagedLog(_ frame: Int) async throws {
        try await withTemporaryDirectory { directory in
            let live = directory.path(of: "live")
            let reader = try BundleStore(at: live, creating: true)
            try reader.install("1.0.0", Self.old)
            let store = try BundleStore(at: live)
            try store.install("2.0.0", Self.new)
            try store.prune(keeping: 0)
            // The files that killed processes leave.
            try FileManager.default.copyItem(atPath: live, toPath: directory.path(of: "store"))
            withExtendedLifetime((reader, store)) {}
            try directory.remove("store/catalog.sqlite-shm")
            try directory.change("store/catalog.sqlite-wal") { bytes in
                if frame < 0 { return bytes = [] }
                let position = 32 + frame * (24 + 4_096) + 8
                for index in position..<position + 2 { bytes[index] ^= 0xFF }
            }
            let damaged = try directory.openStore()
            #expect(damaged.snapshot.damage == [])
            #expect(try damaged.versions() == ["2.0.0"])
            #expect(try damaged.verify() == [])
            #expect(try damaged.prune().fileCount == 0)
        }
    }
}
