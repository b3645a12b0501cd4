import BundleTesting
import Foundation
import GRDB
import Testing

@testable import BundleStore

@Suite("Releases that mustn't be used any more")
struct WithdrawalTests {
    private func withdrawal(_ store: BundleStore) throws -> Withdrawal? { try store.bundle(name("shop")).withdrawal }

    private func revoked(_ text: String, _ store: BundleStore) throws -> Withdrawal {
        Withdrawal(of: try version(text), .revoked, since: store.now())
    }

    private func critical(_ text: String, before successor: String, _ store: BundleStore) throws -> Withdrawal {
        Withdrawal(of: try version(text), .critical, successor: try version(successor), since: store.now())
    }

    @Test("are recorded once for all processes, whether they are active or not")
    func recorded() async throws {
        try await withStore { store, directory in
            for text in ["1.0.0", "1.1.0"] { try store.install(text, ["index.html": text]) }
            let all = try [revoked("1.0.0", store), revoked("1.1.0", store)]
            try store.setWithdrawals(all, of: name("shop"))
            let generation = store.snapshot.generation
            try store.setWithdrawals(all.reversed(), of: name("shop"))
            #expect(store.snapshot.generation == generation)
            let bundle = try directory.openStore().bundle(name("shop"))
            #expect(try bundle.withdrawal == all[1] && bundle.withdrawal(of: version("1.0.0")) == all[0])
            #expect(
                try store.history().filter { $0.kind == .revoked }.compactMap(\.version?.string) == ["1.0.0", "1.1.0"]
            )
            #expect(try store.verify() == [])
        }
    }

    @Test("are used again when the feed says so, and go with their release")
    func ended() async throws {
        try await withStore { store, directory in
            for text in ["1.0.0", "1.1.0"] { try store.install(text, ["index.html": text]) }
            try store.setWithdrawals([revoked("1.0.0", store), revoked("1.1.0", store)], of: name("shop"))
            try store.setWithdrawals([revoked("1.0.0", store)], of: name("shop"))
            #expect(try withdrawal(store) == nil)
            try store.remove(name("shop"), version("1.0.0"))
            try store.install("1.0.0", ["index.html": "1.0.0"], activating: false)
            #expect(try directory.openStore().bundle(name("shop")).lifecycle.withdrawals.isEmpty)
        }
    }

    @Test("of a critical release end when one before it becomes active, revoked ones stay so")
    func activation() async throws {
        try await withStore { store, _ in
            for text in ["0.9.0", "1.0.0", "1.1.0"] { try store.install(text, ["index.html": text]) }
            let all = try [revoked("0.9.0", store), critical("1.0.0", before: "1.1.0", store)]
            try store.setWithdrawals(all, of: name("shop"))
            #expect(try withdrawal(store) == nil)
            try store.activate(name("shop"), version("1.1.0"))
            #expect(try store.bundle(name("shop")).lifecycle.withdrawals.count == 2)
            try store.rollBack(name("shop"))
            #expect(try withdrawal(store) == nil)
            #expect(try store.bundle(name("shop")).lifecycle.withdrawals.keys.sorted() == ["0.9.0"])
        }
    }

    @Test(
        "can't be activated or rolled back to by hand when they are revoked, and aren't advised",
        arguments: [true, false]
    )
    func byHand(isRollback: Bool) async throws {
        try await withStore { store, _ in
            for text in ["0.9.0", "1.0.0"] { try store.install(text, ["index.html": text]) }
            try store.setWithdrawals([revoked("0.9.0", store)], of: name("shop"))
            try store.leaveRevoked(["0.9.0"], of: name("shop"))
            let error = try #require(
                #expect(throws: BundleError.self) {
                    if isRollback {
                        try store.rollBack(name("shop"), to: version("0.9.0"))
                    } else {
                        try store.activate(name("shop"), version("0.9.0"))
                    }
                }
            )
            #expect(error.code == .invalidArgument && error.message.contains("0.9.0 was revoked by its publisher"))
            #expect(try store.bundle(name("shop")).activeVersion == version("1.0.0"))
            let nothing = #expect(throws: BundleError.self) { try store.rollBack(name("shop")) }
            #expect(nothing?.message == "bundle shop has no earlier version to roll back to")
        }
    }

    @Test("never stand in for a damaged one, and don't become active later")
    func fallbackRelease() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0", ["index.html": "1"])
            try store.install("1.1.0", ["index.html": "2"])
            try store.install("1.2.0", ["index.html": "3"], activating: false)
            try store.setPending(name("shop"), version("1.2.0"), .nextStart)
            try store.setWithdrawals([revoked("1.0.0", store), revoked("1.2.0", store)], of: name("shop"))
            #expect(store.activatePending { _, _ in true }.isEmpty)
            try FileManager.default.removeItem(
                atPath: directory.path(of: "store/indexes/" + store.release("1.1.0").record.index.name + ".index")
            )
            let bundle = try directory.openStore().bundle(name("shop"))
            #expect(bundle.isDegraded && bundle.fallbackRelease == nil)
        }
    }

    @Test("aren't those of a row that can't be read")
    func damaged() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0")
            try store.setWithdrawals([revoked("1.0.0", store)], of: name("shop"))
            try directory.changeCatalog("UPDATE withdrawal SET reason = 'whim'")
            #expect(try withdrawal(directory.openStore()) == nil)
        }
    }

    @Test("and unconfirmed ones are taken over from a catalog that knew active ones alone")
    func migrated() async throws {
        try await withTemporaryDirectory { directory in
            let database = try DatabaseQueue(path: directory.path(of: "catalog.sqlite"))
            try CatalogSchema.migrator.migrate(database, upTo: "11")
            try database.write { database in
                try database.execute(
                    sql: """
                        INSERT INTO withdrawnRelease VALUES ('shop', '1.1.0', 'critical', '1.2.0', 7);
                        INSERT INTO probation VALUES ('shop', '1.1.0', '0123456789abcdef0123456789abcdef', 1, 5);
                        """
                )
            }
            try CatalogSchema.migrator.migrate(database)
            let lifecycles = try database.read { try LifecycleTables.lifecycles(in: $0) }
            let lifecycle = try #require(lifecycles[name("shop")])
            let since = Date(timeIntervalSince1970: 7)
            let known = try Withdrawal(of: version("1.1.0"), .critical, successor: version("1.2.0"), since: since)
            #expect(lifecycle.withdrawals == ["1.1.0": known])
            #expect(lifecycle.unconfirmed == ["1.1.0"])
            #expect(lifecycle.probation?.observed == .zero)
        }
    }
}
