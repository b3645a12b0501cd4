import BundleTesting
import Foundation
import GRDB
import Testing

@testable import BundleStore

@Suite("A catalog with invalid values")
struct CatalogRepairTests {
    private static let old = ["index.html": "page 1", "shared.js": "shared"]
    private static let new = ["index.html": "page 2", "shared.js": "shared"]

    /// Provides the folder of a closed store with two versions and another bundle, after `sql` has changed its catalog.
    private func withStore(changedBy sql: String, _ body: (TemporaryDirectory) throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            do { try directory.openStore().install(Self.old, then: Self.new) }
            try directory.changeCatalog(sql)
            try body(directory)
        }
    }

    private func repair(_ directory: TemporaryDirectory) throws -> RepairReport {
        try directory.openStore().beginRepair().commit(waits: false)
    }

    @Test(
        "that lists wrong segments loses no file, verification reports it, and a repair lists the right ones",
        arguments: [
            "UPDATE releaseSegment SET segment = upper(segment)",
            "UPDATE releaseSegment SET segment = replace(segment, substr(segment, 1, 1), '+')",
            "UPDATE releaseSegment SET segment = x'00'", "DELETE FROM releaseSegment",
            "INSERT INTO releaseSegment SELECT id, '00112233445566778899aabbccddeeff' FROM release",
        ]
    )
    func segmentLists(_ sql: String) async throws {
        try await withStore(changedBy: sql.replacingOccurrences(of: "UPDATE", with: "UPDATE OR REPLACE")) { directory in
            let store = try directory.openStore()
            let damage = try store.verify()
            #expect(Set(damage.map(\.description)).count == 3)
            #expect(
                damage.allSatisfy { $0.problem.contains("list of its segments") && $0.remedy == .repair(.catalog) }
            )
            let segments = try directory.names(in: "segments")
            try store.prune()
            #expect(try directory.names(in: "segments") == segments)
            #expect(try store.release("1.0.0").texts == Self.old.mapValues { $0 })

            let report = try repair(directory)
            let lines = report.repaired.map(\.description).sorted()
            #expect(lines == ["news@1.0.0", "shop@1.0.0", "shop@1.1.0"].map { "repaired \($0) from its index" })
            #expect(report.damage == [])
            let after = try directory.openStore()
            #expect(try after.verify() == [])
            try after.prune(keeping: 0)
            #expect(try after.release("1.1.0").texts == Self.new.mapValues { $0 })
        }
    }

    @Test("that has names of files in upper case loses no file to pruning")
    func upperCaseIndexes() async throws {
        try await withStore(changedBy: "UPDATE release SET indexFile = 'A' || upper(substr(indexFile, 2))") {
            directory in
            let files = try directory.names(in: "segments") + directory.names(in: "indexes")
            let store = try directory.openStore()
            #expect(try store.verify().count == 3)
            let report = try store.prune()
            #expect(report.fileCount == 0)
            #expect(report.warnings.count == 1)
            #expect(report.warnings.first?.remedy == .repairBeforePruning)
            #expect(try directory.names(in: "segments") + directory.names(in: "indexes") == files)
        }
    }

    @Test(
        "with one invalid row reports it, and serves all others; a repair takes the name from the manifest",
        arguments: [
            "version = '1.1.p'", "version = x'ff00'", "version = ''", "version = '1' || char(10)", "version = '1.1.9'",
            "bundle = 'sh' || char(1) || 'p'", "bundle = x'ff'", "bundle = ''", "bundle = 'shoq'",
            "bundle = CAST(bundle AS BLOB)", "version = CAST(version AS BLOB)", "bundle = bundle || char(0)",
            "version = version || char(0, 49)",
        ]
    )
    func misnamedRow(_ change: String) async throws {
        let sql = "UPDATE release SET \(change) WHERE bundle = 'shop' AND version = '1.1.0'"
        try await withStore(changedBy: sql) { directory in
            let store = try directory.openStore()
            let damage = store.snapshot.damage
            #expect(damage.count == 1)
            #expect(damage.first?.problem.contains("row 2 of the catalog") == true)
            #expect(damage.first?.remedy?.description.contains("repair") == true)
            #expect(try store.verify() == damage)
            #expect(try store.release("1.0.0").texts == Self.old.mapValues { $0 })
            #expect(try store.activeVersion(of: "news") == "1.0.0")
            try store.install("2.0.0", ["other.html": "two"], of: "news")
            #expect(try store.prune().fileCount == 0)
            try store.activate(name("shop"), version("1.0.0"))
            try store.rollBack(name("news"))

            let report = try repair(directory)
            #expect(report.repaired.map(\.description) == ["repaired shop@1.1.0 from its manifest"])
            #expect(report.damage == [])
            let after = try directory.openStore()
            #expect(try after.verify() == [])
            #expect(try after.release("1.1.0").texts == Self.new.mapValues { $0 })
        }
    }

    @Test("whose active row has lost its name keeps it active once the name is restored")
    func activeRow() async throws {
        try await withStore(changedBy: "UPDATE release SET version = '1.1.p' WHERE version = '1.1.0'") { directory in
            #expect(try directory.openStore().activeVersion() == nil)
            _ = try repair(directory)
            #expect(try directory.openStore().activeVersion() == "1.1.0")
        }
    }

    @Test(
        "with a row that can't be identified has it dropped by a repair, and its files by pruning",
        arguments: [
            "manifest = x'7b'", "contentDigest = 'x'", "indexFile = 'x'",
            "manifest = (SELECT manifest FROM release WHERE version = '1.0.0')",
        ]
    )
    func droppedRow(_ change: String) async throws {
        let sql = "UPDATE release SET version = '1.1.p', \(change) WHERE version = '1.1.0'"
        try await withStore(changedBy: sql) { directory in
            let store = try directory.openStore()
            try store.prune()
            #expect(try directory.names(in: "indexes").count == 3)
            let report = try repair(directory)
            #expect(
                report.repaired.map(\.description) == [
                    "dropped shop row 2 of the catalog",
                    "repaired shop@1.0.0 as the active version from the activations of its releases",
                ]
            )
            #expect(report.damage == [])
            let after = try directory.openStore()
            #expect(try after.verify() == [])
            #expect(try after.versions() == ["1.0.0"])
            #expect(try after.activeVersion() == "1.0.0")
            try after.prune()
            #expect(try directory.names(in: "indexes").count == 2)
            #expect(try directory.openStore().verify() == [])
        }
    }

    @Test("with an invalid row of a bundle's updates has no update state, and nothing else is wrong")
    func updateState() async throws {
        try await withStore(changedBy: "UPDATE bundle SET checkedAt = 'x', lastFailure = x'ff'") { directory in
            let store = try directory.openStore()
            let state = try store.updateState(of: name("shop"))
            #expect(state?.checkedAt == nil)
            #expect(try store.activeVersion() == "1.1.0")
            try store.recordCheck(of: name("shop"), failure: "no response")
            #expect(try store.updateState(of: name("shop"))?.lastFailure == "no response")
        }
    }

    @Test("that lists segments of a missing release accepts a new one with its number")
    func strayList() async throws {
        let sql =
            "PRAGMA foreign_keys = OFF; INSERT INTO releaseSegment SELECT 4, segment FROM releaseSegment WHERE release = 1"
        try await withStore(changedBy: sql) { directory in
            let store = try directory.openStore()
            try store.install("2.0.0", Self.old)
            #expect(try store.verify() == [])
        }
    }

    @Test("with a row that has lost its name replaces it on reinstallation", arguments: [false, true])
    func reinstalled(_ isActivating: Bool) async throws {
        try await withStore(changedBy: "UPDATE release SET version = '1.1.p' WHERE version = '1.1.0'") { directory in
            try directory.openStore().install("1.1.0", Self.new, activating: isActivating)
            #expect(try repair(directory).repaired.isEmpty)
            let after = try directory.openStore()
            #expect(try after.verify() == [])
            #expect(try after.activeVersion() == "1.1.0")
            #expect(try after.versions() == ["1.1.0", "1.0.0"])
        }
    }

    @Test("with a row that has another version's name accepts that version", arguments: [false, true])
    func nameTaken(_ isProven: Bool) async throws {
        let sql = "UPDATE release SET version = '1.1.9'\(isProven ? "" : ", installedAt = 0") WHERE version = '1.1.0'"
        try await withStore(changedBy: sql) { directory in
            let store = try directory.openStore()
            if isProven {
                try store.install("1.1.9", Self.old)
                #expect(try store.activeVersion() == "1.1.9")
                #expect(try store.verify() == [])
                #expect(try store.release("1.1.0").texts == Self.new.mapValues { $0 })
            } else {
                let error = #expect(throws: BundleError.self) { try store.install("1.1.9", Self.old) }
                #expect(error?.code == .versionConflict)
                try store.install("1.1.9", Self.old, replacing: true)
                #expect(try store.verify() == [])
            }
        }
    }

    @Test("with a row that names nothing allows its bundle to be removed", arguments: ["'1.1.p'", "x'ff00'"])
    func removal(_ version: String) async throws {
        try await withStore(changedBy: "UPDATE release SET version = \(version) WHERE version = '1.1.0'") { directory in
            let store = try directory.openStore()
            #expect(try store.remove(name("shop"), nil).map(\.string) == ["1.1.0", "1.0.0"])
            #expect(try store.verify() == [])
            try store.prune()
            #expect(try directory.names(in: "indexes").count == 1)
        }
    }

    @Test("with a damaged row allows just its version to be removed")
    func removalOfVersion() async throws {
        try await withStore(changedBy: "UPDATE release SET contentDigest = 'x' WHERE version = '1.1.0'") { directory in
            let store = try directory.openStore()
            #expect(try store.remove(name("shop"), version("1.1.0")).map(\.string) == ["1.1.0"])
            #expect(try store.verify() == [])
            #expect(try store.versions() == ["1.0.0"])
        }
    }
}

extension TemporaryDirectory {
    /// Changes the catalog of the closed store in a way that no code of this program does.
    func changeCatalog(_ sql: String) throws {
        let queue = try DatabaseQueue(path: path(of: "store/catalog.sqlite"))
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA ignore_check_constraints = ON; " + sql) }
    }
}
