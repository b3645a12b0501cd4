import BundleTesting
import Foundation
import Testing

@testable import BundleStore

@Suite("Releases that mustn't be used any more")
struct WithdrawalTests {
    private func withdrawal(_ store: BundleStore) throws -> Withdrawal? {
        try store.bundle(name("shop")).lifecycle.withdrawal
    }

    @Test("are recorded once for all processes, and until another release becomes active")
    func recorded() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0", ["index.html": "1"])
            let revoked = Withdrawal(of: try version("1.0.0"), .revoked, since: store.now())
            try store.setWithdrawal(revoked, of: name("shop"))
            let generation = store.snapshot.generation
            try store.setWithdrawal(revoked, of: name("shop"))
            #expect(store.snapshot.generation == generation)
            #expect(try withdrawal(directory.openStore()) == revoked)
            #expect(try store.history().filter { $0.kind == .revoked }.count == 1)
            try store.activate(name("shop"), version("1.0.0"))
            #expect(try withdrawal(store) == revoked)
            try store.install("1.1.0", ["index.html": "2"])
            #expect(try withdrawal(store) == nil)
            #expect(try store.verify() == [])
        }
    }

    @Test("are used again when the feed says so")
    func ended() async throws {
        try await withStore { store, _ in
            try store.install("1.0.0")
            let successor = try version("1.1.0")
            let critical = Withdrawal(of: try version("1.0.0"), .critical, successor: successor, since: store.now())
            try store.setWithdrawal(critical, of: name("shop"))
            #expect(try withdrawal(store) == critical)
            try store.setWithdrawal(nil, of: name("shop"))
            #expect(try withdrawal(store) == nil)
        }
    }

    @Test("aren't others than the active one, nor in a row that can't be read")
    func other() async throws {
        try await withStore { store, directory in
            try store.install("1.0.0")
            try store.setWithdrawal(Withdrawal(of: version("0.9.0"), .revoked, since: store.now()), of: name("shop"))
            #expect(try withdrawal(store) == nil)
            try store.setWithdrawal(Withdrawal(of: version("1.0.0"), .revoked, since: store.now()), of: name("shop"))
            try directory.changeCatalog("UPDATE withdrawnRelease SET reason = 'whim'")
            #expect(try withdrawal(directory.openStore()) == nil)
        }
    }
}
