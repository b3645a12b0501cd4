import BundleTesting
import Foundation
import GRDB
import Testing

@testable import BundleStore

@Suite("A bundle's row in the catalog")
struct BundleRowTests {
    /// Provides the folder of a closed store with two versions of one bundle, the later active, and another bundle,
    /// after `sql` has changed its catalog.
    private func withCatalog(changedBy sql: String, _ body: (TemporaryDirectory) throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            do {
                let store = try directory.openStore()
                try store.install("1.0.0", ["index.html": "page 1"])
                try store.install("1.1.0", ["index.html": "page 2"])
                try store.install("1.0.0", ["other.html": "other"], of: "news")
            }
            try directory.changeCatalog("PRAGMA foreign_keys = OFF; " + sql)
            try body(directory)
        }
    }

    private func repair(_ directory: TemporaryDirectory) throws -> RepairReport {
        try directory.openStore().beginRepair().commit(waits: false)
    }

    @Test(
        "that was edited or deleted is reported and restored, and the version activated last is served",
        arguments: [
            "UPDATE bundle SET active = NULL WHERE name = 'shop'", "UPDATE bundle SET active = 999 WHERE name = 'shop'",
            "UPDATE bundle SET active = 3 WHERE name = 'shop'", "UPDATE bundle SET active = 1 WHERE name = 'shop'",
            "UPDATE bundle SET active = 'x' WHERE name = 'shop'", "UPDATE bundle SET name = 'shoq' WHERE name = 'shop'",
            "UPDATE bundle SET name = x'ff' WHERE name = 'shop'", "DELETE FROM bundle WHERE name = 'shop'",
            "UPDATE bundle SET heldVersion = '9.0.0' WHERE name = 'shop'",
            "UPDATE bundle SET rowDigest = '' WHERE name = 'shop'",
        ]
    )
    func edited(_ sql: String) async throws {
        try await withCatalog(changedBy: sql) { directory in
            let store = try directory.openStore()
            #expect(try store.activeVersion() == "1.1.0")
            #expect(try store.activeVersion(of: "news") == "1.0.0")
            #expect(try store.updateState(of: name("shop"))?.heldVersion == nil)
            let damage = try store.verify(name("shop"))
            #expect(damage.map(\.bundle?.string) == ["shop"])
            #expect(damage.first?.problem.contains("1.1.0, which was activated last, counts as the active one") == true)
            #expect(damage.first?.description.contains("repair the store") == true)
            #expect(try store.prune(keeping: 0).warnings.count == 1)

            let report = try repair(directory)
            #expect(
                report.repaired.map(\.description).contains(
                    "repaired shop@1.1.0 as the active version from the activations of its releases"
                )
            )
            #expect(report.damage == [])
            let after = try directory.openStore()
            #expect(try after.verify() == [])
            #expect(after.snapshot.bundles.count == 2)
            #expect(try after.release("1.1.0").texts == ["index.html": "page 2"])
        }
    }

    @Test("that was deleted after a rollback gets its held version back")
    func held() async throws {
        try await withTemporaryDirectory { directory in
            do {
                let store = try directory.openStore()
                try store.install("1.0.0", ["index.html": "page 1"])
                try store.install("1.1.0", ["index.html": "page 2"])
                try store.rollBack(name("shop"))
            }
            try directory.changeCatalog("DELETE FROM bundle")
            #expect(try directory.openStore().updateState(of: name("shop"))?.heldVersion?.string == "1.1.0")
            _ = try repair(directory)
            let after = try directory.openStore()
            #expect(try after.activeVersion() == "1.0.0")
            #expect(try after.updateState(of: name("shop"))?.heldVersion?.string == "1.1.0")
        }
    }

    @Test("that is damaged keeps its active version through installations, removals and a quota")
    func inUse() async throws {
        try await withCatalog(changedBy: "UPDATE bundle SET active = NULL WHERE name = 'shop'") { directory in
            let store = try directory.openStore()
            try store.install("2.0.0", ["index.html": "page 3"], activating: false)
            #expect(try store.activeVersion() == "1.1.0")
            try store.setQuota(store.storageUse().byteCount)
            let error = #expect(throws: BundleError.self) {
                try store.install("1.0.0", ["index.html": String(repeating: "x", count: 50_000)], of: "third")
            }
            #expect(error?.code == .quotaExceeded)
            #expect(try store.release("1.1.0").texts == ["index.html": "page 2"])
            try store.remove(name("shop"), version("1.0.0"))
            #expect(try directory.openStore().activeVersion() == "1.1.0")
            try store.install("1.1.0", ["index.html": "page 2, corrected"], activating: false, replacing: true)
            #expect(try directory.openStore().activeVersion() == "1.1.0")
            #expect(try directory.openStore().verify() == [])
        }
    }

    @Test("that is missing is created by an installation that activates its release, and only by such a one")
    func missing() async throws {
        try await withCatalog(changedBy: "DELETE FROM bundle WHERE name = 'shop'") { directory in
            let store = try directory.openStore()
            try store.install("2.0.0", ["index.html": "page 3"], activating: false)
            #expect(try store.activeVersion() == "1.1.0")
            #expect(try store.verify().count == 1)
            try store.activate(name("shop"), version("2.0.0"))
            #expect(try store.verify() == [])
            #expect(try directory.openStore().activeVersion() == "2.0.0")
        }
    }

    @Test(
        "that has another name, of any type, is reported and replaced, and its content is restored",
        arguments: [
            "x'ff'", "CAST(name AS BLOB)", "x''", "''", "'Sh op'", "'shop' || char(0)", "'shop' || char(0) || 'x'",
            "CAST(x'736866ff' AS TEXT)", "'shoq'", "'5'", "5", "-1.5",
        ]
    )
    func renamed(_ name: String) async throws {
        try await withCatalog(changedBy: "") { directory in
            // A text column converts numbers to text: so the table has no such column while it is written.
            let schema = "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, 'name "
            try directory.changeCatalog(schema + "TEXT PRIMARY', 'name BLOB PRIMARY') WHERE name = 'bundle'")
            try directory.changeCatalog(
                "PRAGMA foreign_keys = OFF; UPDATE bundle SET name = \(name) WHERE name = 'shop'"
            )
            try directory.changeCatalog(schema + "BLOB PRIMARY', 'name TEXT PRIMARY') WHERE name = 'bundle'")
            let store = try directory.openStore()
            #expect(try store.activeVersion() == "1.1.0")
            #expect(try store.activeVersion(of: "news") == "1.0.0")
            let damage = try store.verify()
            #expect(!damage.isEmpty)
            #expect(damage.allSatisfy { if case .repair = $0.remedy { true } else { false } })
            #expect(damage.allSatisfy { if case .replaceUnrepairable = $0.afterRepair.remedy { true } else { false } })
            #expect(
                damage.contains { $0.problem.contains("1.1.0, which was activated last, counts as the active one") }
            )

            let report = try repair(directory)
            #expect(report.repaired.filter { $0.action == .repaired }.map(\.version?.string) == ["1.1.0"])
            #expect(report.damage == [])
            let after = try directory.openStore()
            #expect(try after.verify() == [])
            #expect(after.snapshot.bundles.keys.map(\.string).sorted() == ["news", "shop"])
            #expect(try after.activeVersion() == "1.1.0")
            #expect(try after.catalog.connection.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM bundle") } == 2)
        }
    }

    @Test("that exists twice counts once, and the superfluous one is reported and dropped")
    func twice() async throws {
        let sql = "INSERT INTO bundle (name, active) VALUES (CAST('shop' AS BLOB), 1), ('shop' || char(0), 1)"
        try await withCatalog(changedBy: sql) { directory in
            let store = try directory.openStore()
            #expect(try store.activeVersion() == "1.1.0")
            #expect(try store.verify().map(\.bundle?.string) == ["shop", "shop"])
            #expect(
                try repair(directory).repaired.map(\.description) == [
                    "dropped shop a superfluous row in the catalog", "dropped shop a superfluous row in the catalog",
                ]
            )
            #expect(try directory.openStore().verify() == [])
            #expect(try directory.openStore().activeVersion() == "1.1.0")
        }
    }

    @Test("of a bundle without a release is reported and dropped")
    func stray() async throws {
        try await withCatalog(changedBy: "INSERT INTO bundle (name, active) VALUES ('third', 2)") { directory in
            let store = try directory.openStore()
            #expect(try store.verify().map(\.bundle?.string) == ["third"])
            #expect(try store.activeVersion() == "1.1.0")
            #expect(try repair(directory).repaired.map(\.action) == [.dropped])
            #expect(try directory.openStore().verify() == [])
        }
    }

    @Test(
        "and its releases' rows: edited values are reported, and restored from manifest and index",
        arguments: [
            "activationNumber = 99", "activationNumber = 'x'", "activationNumber = 9223372036854775807", "isPinned = 1",
            "isPinned = 'x'", "installedAt = 0", "installedAt = 'x'", "activatedAt = x'00'", "fileCount = 7",
            "byteCount = 'x'", "heldVersion = '9'", "rowDigest = 'x'", "indexFile = indexFile || char(0)",
            "contentDigest = contentDigest || char(0, 97)",
        ]
    )
    func release(_ change: String) async throws {
        try await withCatalog(changedBy: "UPDATE release SET \(change) WHERE version = '1.1.0'") { directory in
            let damage = try directory.openStore().verify()
            #expect(damage.map(\.version?.string) == ["1.1.0"])
            #expect(damage.map(\.remedy) == [.repair(.release)])
            let report = try repair(directory)
            #expect(
                report.repaired.map(\.description) == [
                    "repaired shop@1.1.0 the row in the catalog, but for its times and its pin, from its manifest"
                ]
            )
            #expect(report.damage == [])
            let after = try directory.openStore()
            #expect(try after.verify() == [])
            #expect(try after.activeVersion() == "1.1.0")
            #expect(try after.release("1.1.0").byteCount == 6)
            try after.install("3.0.0", ["index.html": "page 3"])
            #expect(try directory.openStore().activeVersion() == "3.0.0")
        }
    }

    @Test("and a release's manifest that was edited isn't served, and needs its archive")
    func manifest() async throws {
        let manifest = #"{"name": "shop", "version": "1.1.0", "origins": [], "entry": "other.html"}"#
        let sql = "UPDATE release SET manifest = CAST('\(manifest)' AS BLOB) WHERE version = '1.1.0'"
        try await withCatalog(changedBy: sql) { directory in
            let store = try directory.openStore()
            #expect(store.snapshot.bundles[try name("shop")]?.release(try version("1.1.0")) == nil)
            #expect(try store.verify().map(\.version?.string) == ["1.1.0"])
            let report = try repair(directory)
            #expect(report.damage.map(\.version?.string) == ["1.1.0"])
            try directory.openStore().install("1.1.0", ["index.html": "page 2"])
            let after = try directory.openStore()
            #expect(try after.verify() == [])
            #expect(try after.activeVersion() == "1.1.0")
        }
    }

    @Test("and a row that changes under a running process doesn't become intact by its next change")
    func changedMeanwhile() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0", ["index.html": "page 1"])
            try store.install("1.1.0", ["index.html": "page 2"])
            try directory.changeCatalog("UPDATE release SET contentDigest = replace(contentDigest, 'a', 'b')")
            try store.setPinned(true, name("shop"), version("1.0.0"))
            #expect(try directory.openStore().verify().count == 2)
        }
    }

    @Test(
        "a cached response whose row was edited is reported and dropped",
        arguments: [
            "metadata = replace(metadata, '200', '220')", "url = url || '?'", "version = '1.0.0'",
            "storedAt = storedAt + 1",
            "parts = (SELECT parts FROM cachedResponse WHERE id = 2)", "selection = 1", "alternative = 1",
        ]
    )
    func response(_ change: String) async throws {
        try await withTemporaryDirectory { directory in
            do {
                let store = try directory.openStore()
                try store.install("1.1.0")
                for number in 1...2 {
                    let metadata = Array(#"{"status":200}"#.utf8)
                    let url = "https://m.example.com/\(number)"
                    try store.cache([UInt8(number)], url: url, of: name("shop"), version("1.1.0"), metadata: metadata)
                }
            }
            try directory.changeCatalog("UPDATE cachedResponse SET \(change) WHERE id = 1")
            let store = try directory.openStore()
            #expect(try store.cachedResponses().map(\.id) == [2])
            #expect(
                try store.verify().map(\.description) == [
                    "shop: row 1 of the cache is damaged, and counts as absent; a repair drops it"
                ]
            )
            #expect(try repair(directory).repaired.map(\.description) == ["dropped shop row 1 of the cache"])
            #expect(try directory.openStore().verify() == [])
        }
    }

    @Test("a quota that was edited counts as none, and is reported by verification")
    func quota() async throws {
        try await withCatalog(changedBy: "") { directory in
            try directory.openStore().setQuota(1_000_000)
            try directory.changeCatalog("UPDATE quota SET byteCount = 10")
            let store = try directory.openStore()
            #expect(try store.storageUse().quota == nil)
            #expect(try store.verify() == [.quota])
        }
    }

    @Test("has a digest that is computed as documented")
    func digest() async throws {
        try await withStore { store, _ in
            try store.install("1.0.0")
            let stored = try store.catalog.connection.read {
                try String.fetchOne($0, sql: "SELECT rowDigest FROM bundle")
            }
            let length: (UInt8) -> [UInt8] = { [$0, 0, 0, 0, 0, 0, 0, 0] }
            let name = [3] + length(4) + Array("shop".utf8)
            let (active, held) = ([1] + length(8) + length(1), [0] + length(0))
            #expect(stored == Digest(of: name + active + held).hex)
        }
    }
}
