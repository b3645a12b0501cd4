import BundleTesting
import Foundation
import GRDB
import Testing

@testable import BundleStore

@Suite("The number of the catalog's changes")
struct GenerationTests {
    private static let changes =
        [
            "9223372036854775807", "281474976710657", "-1", "-9223372036854775808", "'x'", "''", "x'ff'", "1e300",
            "0.5",
        ].map { "UPDATE generation SET value = \($0)" } + ["DELETE FROM generation"]
    private static let strayRows = ["INSERT INTO generation VALUES (0, 5)", "INSERT INTO generation VALUES (2, 'x')"]

    private func withStore(_ body: (BundleStore, TemporaryDirectory) throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let store = try directory.openStore()
            try store.install("1.0.0")
            try store.install("1.1.0")
            try body(store, directory)
        }
    }

    @Test(
        "is replaced by the next change if it is damaged, and running readers see every change",
        arguments: changes
    )
    func reader(_ sql: String) async throws {
        try await withStore { reader, directory in
            try directory.changeCatalog(sql)
            for version in ["2.0.0", "3.0.0", "4.0.0"] {
                try directory.openStore().install(version)
                #expect(try reader.refresh())
                #expect(try reader.activeVersion() == version)
                #expect(try !reader.refresh())
            }
            #expect(try reader.verify() == [])
            #expect((0...0xFFFF_FFFF + 2).contains(reader.snapshot.generation))
        }
    }

    @Test(
        "doesn't affect service if it is damaged; verification reports it, and a repair replaces it",
        arguments: changes + strayRows
    )
    func verification(_ sql: String) async throws {
        try await withStore { reader, directory in
            try directory.changeCatalog(sql)
            _ = try reader.refresh()
            let store = try directory.openStore()
            #expect(store.snapshot.damage == [])
            #expect(try store.activeVersion() == "1.1.0")
            let damage = try store.verify()
            #expect(
                damage.map(\.description) == [
                    "catalog: the number of its changes is damaged, and the next change draws another; "
                        + "repair the store"
                ]
            )
            #expect(try store.verify(name("shop")) == [])
            let report = try store.beginRepair().commit(waits: false)
            #expect(report.repaired.map(\.description) == ["repaired the number of the catalog's changes"])
            #expect(report.damage == [])
            #expect(try directory.openStore().verify() == [])
            #expect(try reader.refresh())
            #expect(try reader.activeVersion() == "1.1.0")
        }
    }

    @Test("starts again when it can't increase further")
    func highest() async throws {
        try await withStore { reader, directory in
            try directory.changeCatalog("UPDATE generation SET value = 281474976710656")
            #expect(try reader.refresh())
            #expect(try reader.verify() == [])
            try directory.openStore().install("2.0.0")
            #expect(try reader.refresh())
            #expect(try reader.verify() == [])
        }
    }

    @Test("and that of its schema: too low a number doesn't prevent a store from being opened", arguments: 0...3)
    func schema(_ number: Int) async throws {
        try await withStore { _, directory in
            try directory.changeCatalog("PRAGMA user_version = \(number)")
            #expect(try directory.openStore().verify() == [])
            #expect(try directory.openStore().activeVersion() == "1.1.0")
        }
    }

    @Test("and the quota: a row beside the one that counts is ignored")
    func quota() async throws {
        try await withStore { store, directory in
            try store.setQuota(1_000_000)
            try directory.changeCatalog("INSERT INTO quota (only, byteCount) VALUES (0, 10)")
            #expect(try store.storageUse().quota == 1_000_000)
            #expect(try store.verify() == [])
        }
    }
}
