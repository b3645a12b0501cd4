import BundleTesting
import Foundation
import GRDB
import Testing

@testable import BundleStore

@Suite("Catalog")
struct CatalogTests {
    private static let log = "store/catalog.sqlite-wal"

    @Test("a commit is synced before it is reported")
    func durability() async throws {
        try await withStore { store, _ in
            try store.install("1.0.0")
            #expect(try store.catalog.connection.write { try Int.fetchOne($0, sql: "PRAGMA synchronous") } == 2)
            #expect(try store.catalog.connection.write { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "wal")
            #expect(try store.catalog.connection.write { try Bool.fetchOne($0, sql: "PRAGMA foreign_keys") } == true)
        }
    }

    @Test("the log keeps its room while the store is open and after it was closed")
    func log() async throws {
        try await withTemporaryDirectory { directory in
            for number in 1...40 {
                let store = try directory.openStore()
                try store.install("\(number).0.0", ["index.html": "\(number)"])
                #expect(try directory.read(Self.log).count == Int(CatalogFile.logByteCount))
            }
            #expect(try directory.read(Self.log).count == Int(CatalogFile.logByteCount))
            #expect(try directory.openStore().activeVersion() == "40.0.0")
        }
    }

    @Test("a log that another program has removed gets its room back with the next change")
    func removedLog() async throws {
        try await withTemporaryDirectory { directory in
            do { try directory.openStore().install("1.0.0") }
            for suffix in ["-wal", "-shm"] {
                try FileManager.default.removeItem(atPath: directory.path(of: "store/catalog.sqlite" + suffix))
            }
            let store = try BundleStore(at: directory.path(of: "store"))
            #expect(try store.activeVersion() == "1.0.0")
            try store.install("2.0.0")
            #expect(try directory.read(Self.log).count == Int(CatalogFile.logByteCount))
        }
    }

    @Test("a reader sees a change once it is committed, and not before")
    func isolation() async throws {
        try await withStore { store, directory in
            let other = try directory.openStore()
            try store.catalog.connection.write { database in
                try database.execute(sql: "UPDATE generation SET value = 7")
                #expect(try other.catalog.generation() == 0)
                #expect(try store.catalog.generation() == 0)
            }
            #expect(try other.catalog.generation() == 7)
        }
    }

    @Test("readers follow a catalog that is restored to an earlier state")
    func restored() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0")
            let catalog = try DatabaseQueue(path: directory.path(of: "store/catalog.sqlite"))
            let copy = try DatabaseQueue()
            try catalog.backup(to: copy)
            try store.install("2.0.0")
            #expect(try store.activeVersion() == "2.0.0")
            try copy.backup(to: catalog)
            #expect(try store.refresh())
            #expect(try store.activeVersion() == "1.0.0")
            #expect(try !store.refresh())
        }
    }

    @Test("a catalog that a newer program has changed is refused, and the error names the file")
    func newer() async throws {
        try await withStore { store, directory in
            try store.catalog.connection.write { try $0.execute(sql: "PRAGMA user_version = 1000") }
            let error = #expect(throws: BundleError.self) { try directory.openStore() }
            #expect(error?.code == .storeUnavailable)
            #expect(error?.message.contains("catalog.sqlite was written by a newer program; update") == true)
        }
    }

    @Test("a catalog of the first version is migrated, and keeps its content")
    func migration() async throws {
        try await withCatalog(ofVersion: "1") { database in
            try database.write { try $0.execute(sql: "UPDATE generation SET value = 7") }
        } opened: { store throws in
            #expect(store.snapshot.generation == 7)
            #expect(try store.storageUse().quota == nil)
            try store.install("1.0.0")
            #expect(try !store.release("1.0.0").isPinned)
        }
    }

    @Test("a catalog of the second version loses the responses without digests, and nothing else")
    func responsesWithoutDigest() async throws {
        try await withCatalog(ofVersion: "2") { database in
            try database.write { database in
                try database.execute(
                    sql: """
                        INSERT INTO quota VALUES (1, 7000);
                        INSERT INTO cachedResponse (url, bundle, version, metadata, body, byteCount, storedAt)
                        VALUES ('https://m.example.com/', 'shop', '1.0.0', x'00', '\(FileIdentifier.random().name)', 1, 0)
                        """
                )
            }
        } opened: { store throws in
            #expect(try store.storageUse() == StorageUse(quota: 7_000, byteCount: 0, removableByteCount: 0))
            #expect(try store.verify() == [])
        }
    }

    @Test("a catalog of the third version gets the digests of its rows, and keeps the active and the held versions")
    func withoutRowDigests() async throws {
        try await withTemporaryDirectory { directory in
            do {
                let store = try directory.openStore()
                try store.install("1.0.0", ["index.html": "page 1"])
                try store.install("1.1.0", ["index.html": "page 2"])
                try store.rollBack(name("shop"))
                try store.setQuota(1_000_000)
            }
            try directory.makeCatalogOfThirdVersion()
            let store = try directory.openStore()
            #expect(try store.verify() == [])
            #expect(try store.activeVersion() == "1.0.0")
            #expect(try store.storageUse().quota == 1_000_000)
            try directory.changeCatalog("DELETE FROM bundle")
            #expect(try directory.openStore().activeVersion() == "1.0.0")
            #expect(try directory.openStore().updateState(of: name("shop"))?.heldVersion?.string == "1.1.0")
        }
    }

    @Test(
        "a catalog of an earlier version that may not be written says which user must migrate it",
        .enabled("needs the right to mount") { await SmallFileSystem.isAvailable() }
    )
    func earlierAndReadOnly() async throws {
        try await withSmallFileSystem(byteCount: 8 << 20) { disk in
            do { try disk.directory.openStore().install("1.0.0", ["index.html": "page"]) }
            try disk.directory.makeCatalogOfThirdVersion()
            try disk.makeReadOnly()
            let error = #expect(throws: BundleError.self) { try disk.directory.openStore() }
            #expect(error?.code == .storeUnavailable)
            let advice = "was written by an earlier program; open it once as its owner"
            #expect(error?.message.contains(advice) == true, "\(error?.message ?? "")")
        }
    }

    @Test("a catalog with a bad reference is still migrated", arguments: ["1", "2"])
    func badReference(_ version: String) async throws {
        try await withCatalog(ofVersion: version) { database in
            try database.writeWithoutTransaction { database in
                try database.execute(
                    sql: "PRAGMA foreign_keys = OFF; INSERT INTO bundle (name, active) VALUES ('shop', 999)"
                )
            }
        } opened: { store throws in
            #expect(try store.install("1.0.0") == .installed)
            #expect(try store.activeVersion() == "1.0.0")
        }
    }

    /// Creates a catalog as an earlier program did, passes it to `body`, and opens its store.
    private func withCatalog(
        ofVersion version: String,
        _ body: (DatabaseQueue) throws -> Void,
        opened: (BundleStore) throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            try FileManager.default.createDirectory(
                atPath: directory.path(of: "store"),
                withIntermediateDirectories: true
            )
            do {
                let database = try DatabaseQueue(path: directory.path(of: "store/catalog.sqlite"))
                try CatalogSchema.migrator.migrate(database, upTo: version)
                try body(database)
            }
            try opened(BundleStore(at: directory.path(of: "store")))
        }
    }
}

extension TemporaryDirectory {
    /// Removes what the fourth version added to the closed store's catalog.
    fileprivate func makeCatalogOfThirdVersion() throws {
        let tables = ["release", "bundle", "quota"]
        try changeCatalog(
            tables.map { "ALTER TABLE \($0) DROP COLUMN rowDigest; " }.joined()
                + """
                ALTER TABLE release DROP COLUMN heldVersion; DROP TABLE publisher;
                \(String.withoutCacheTables) DELETE FROM grdb_migrations WHERE identifier IN ('4', '5', '6', '7');
                ALTER TABLE cachedResponse DROP COLUMN rowDigest; PRAGMA user_version = 3
                """
        )
    }
}

extension String {
    /// Takes the tables of the cache and the statistics of a catalog back to those of the fifth version.
    static let withoutCacheTables = """
        DROP TABLE statistic; DROP TABLE statisticLine;
        DROP TABLE cachedResponse; DROP TABLE cachedBody; DROP TABLE cacheState;
        CREATE TABLE cachedResponse (
            id INTEGER PRIMARY KEY, url TEXT NOT NULL, bundle TEXT NOT NULL, version TEXT NOT NULL, metadata BLOB NOT NULL,
            body TEXT NOT NULL UNIQUE, byteCount INTEGER NOT NULL, storedAt REAL NOT NULL,
            digest TEXT NOT NULL DEFAULT '', rowDigest TEXT NOT NULL DEFAULT ''
        );
        """
}
