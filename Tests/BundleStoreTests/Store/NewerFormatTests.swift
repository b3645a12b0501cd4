import BundleTesting
import Testing

@testable import BundleStore

/// A file of the store that a newer program has written.
enum NewerFile: CaseIterable {
    case segment, index

    func make(in directory: TemporaryDirectory, of version: String, holding text: String) throws {
        let path =
            switch self {
            case .segment: try directory.storeFile(in: "segments", holding: text)
            case .index: try directory.index(of: version)
            }
        try directory.change(path) { $0[8] += 1 }
    }
}

@Suite("A file of a newer format")
struct NewerFormatTests {
    private static let old = ["index.html": "page 1", "old.js": String(repeating: "old", count: 100)]
    private static let new = ["index.html": "page 2", "new.js": String(repeating: "new", count: 100)]

    /// Provides a closed store where 2.0.0 is active and a newer program has written a file of 1.0.0.
    private func withNewer(
        _ file: NewerFile,
        of version: String = "1.0.0",
        _ body: (TemporaryDirectory) async throws -> Void
    ) async throws {
        try await withStore { store, directory in
            try store.install("1.0.0", Self.old)
            try store.install("2.0.0", Self.new)
            try file.make(in: directory, of: version, holding: version == "1.0.0" ? "oldold" : "newnew")
            try await body(directory)
        }
    }

    @Test("is reported with the only advice to update, and without one to repair", arguments: NewerFile.allCases)
    func advice(_ file: NewerFile) async throws {
        try await withNewer(file) { directory in
            let store = try directory.openStore()
            for damage in try store.snapshot.damage + store.verify() {
                #expect(damage.version?.string == "1.0.0")
                #expect(damage.isNewer)
                #expect(damage.remedy == .updateProgram)
                #expect(!damage.problem.contains("repair") && !damage.problem.contains("reinstall"))
            }
            #expect(!store.snapshot.damage.isEmpty)
        }
    }

    private func repair(_ store: BundleStore) async throws -> RepairReport {
        let repair = try store.beginRepair()
        #expect(repair.isComplete)
        #expect(repair.damagedReleases.isEmpty)
        try await StoreRepairSource().supply(repair)
        return try repair.commit(waits: false)
    }

    @Test("isn't repaired", arguments: NewerFile.allCases)
    func repair(_ file: NewerFile) async throws {
        try await withNewer(file) { directory in
            let before = try directory.storeFiles()
            let report = try await repair(directory.openStore())
            #expect(report.repaired.isEmpty)
            #expect(!report.damage.isEmpty && report.damage.allSatisfy(\.isNewer))
            #expect(try directory.storeFiles() == before)
        }
    }

    @Test("isn't replaced by installing its release again", arguments: NewerFile.allCases, [false, true])
    func reinstallation(_ file: NewerFile, _ replacing: Bool) async throws {
        try await withNewer(file) { directory in
            let before = try directory.storeFiles()
            let store = try directory.openStore()
            let error = #expect(throws: BundleError.self) { try store.install("1.0.0", Self.old, replacing: replacing) }
            #expect(error?.code == .newerFormat)
            #expect(error?.message.hasPrefix("shop@1.0.0: ") == true)
            #expect(error?.remedy == .updateProgram)
            #expect(try directory.storeFiles() == before)
        }
    }

    @Test("isn't pruned or compacted", arguments: NewerFile.allCases)
    func pruning(_ file: NewerFile) async throws {
        try await withNewer(file) { directory in
            let before = try directory.storeFiles().filter { !$0.key.hasPrefix("catalog") }
            let report = try directory.openStore().prune(keeping: 0)
            #expect(report.releases.isEmpty)
            #expect(report.compaction.segmentCount == 0)
            #expect(report.warnings.map(\.remedy) == [.updateProgram])
            #expect(try directory.storeFiles().filter { !$0.key.hasPrefix("catalog") } == before)
        }
    }

    @Test("keeps its release's other segments from being compacted")
    func compaction() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0", Self.old)
            // Shares a small part of the first segment, and is kept in another.
            try store.install("2.0.0", ["index.html": "page 1", "new.js": Self.new["new.js"] ?? ""])
            try store.remove(name("shop"), version("1.0.0"))
            try NewerFile.segment.make(in: directory, of: "2.0.0", holding: "newnew")
            let before = try directory.names(in: "segments")
            #expect(try directory.openStore().prune().compaction.segmentCount == 0)
            #expect(try directory.names(in: "segments") == before)
        }
    }

    @Test("doesn't prevent the rest of the release from being read, nor count as damage when it is requested")
    func reading() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0", Self.old)
            try store.install("2.0.0", ["index.html": "page 1", "new.js": Self.new["new.js"] ?? ""])
            try NewerFile.segment.make(in: directory, of: "2.0.0", holding: "newnew")
            let log = DamageLog()
            let reader = try BundleStore(at: directory.path(of: "store"), damageHandler: log.handler)
            #expect(try reader.release("2.0.0").texts == ["index.html": "page 1", "new.js": nil])
            #expect(log.damage.map(\.path) == ["new.js"])
            #expect(log.damage.allSatisfy { $0.remedy == .updateProgram })
        }
    }
}
