import BundleTesting
import Foundation
import Testing

@testable import BundleStore

@Suite("Releases that become active later")
struct PendingActivationTests {
    private func withPending(_ body: (BundleStore, TemporaryDirectory) throws -> Void) async throws {
        try await withStore { store, directory in
            try store.install("1.0.0", ["index.html": "1"])
            try store.install("1.1.0", ["index.html": "2"], activating: false)
            #expect(try store.setPending(name("shop"), version("1.1.0"), .whenIdle))
            try body(store, directory)
        }
    }

    private func pending(_ store: BundleStore) throws -> PendingActivation? {
        try store.bundle(name("shop")).lifecycle.pending
    }

    @Test("wait over restarts, and become active as the end of an update: nothing is held back")
    func activation() async throws {
        try await withPending { store, directory in
            let other = try directory.openStore()
            #expect(try pending(other)?.mode == .whenIdle)
            #expect(try !store.setPending(name("shop"), version("1.1.0"), .whenIdle), "nothing new")
            #expect(other.activatePending { _, _ in false }.isEmpty)
            #expect(try other.activeVersion() == "1.0.0")
            let activated = other.activatePending { $1.mode == .whenIdle }
            #expect(activated.map(\.version.string) == ["1.1.0"])
            #expect(store.activatePending { _, _ in true }.isEmpty, "another process was faster")
            #expect(try store.activeVersion() == "1.1.0")
            #expect(try pending(store) == nil)
            #expect(try store.updateState(of: name("shop"))?.heldVersion == nil)
            #expect(try store.history().last?.kind == .activated)
            #expect(try store.verify() == [])
        }
    }

    @Test("end with any other activation", arguments: ["activation", "installation", "rollback"])
    func otherActivation(_ what: String) async throws {
        try await withStore { store, _ in
            try store.install("0.9.0", ["index.html": "0"])
            try store.install("1.0.0", ["index.html": "1"])
            try store.install("1.1.0", ["index.html": "2"], activating: false)
            try store.setPending(name("shop"), version("1.1.0"), .nextStart)
            switch what {
            case "activation": try store.activate(name("shop"), version("0.9.0"))
            case "installation": try store.install("1.2.0", ["index.html": "3"])
            default: try store.rollBack(name("shop"))
            }
            #expect(try pending(store) == nil)
            #expect(store.activatePending { _, _ in true }.isEmpty)
        }
    }

    @Test("are kept by pruning, and end with their removal by a person")
    func removal() async throws {
        try await withPending { store, _ in
            try store.install("1.2.0", ["index.html": "3"], activating: false)
            try store.prune(keeping: 0)
            #expect(try store.versions() == ["1.0.0", "1.1.0"])
            try store.remove(name("shop"), version("1.1.0"))
            #expect(try pending(store) == nil)
        }
    }

    @Test("must be installed")
    func unknown() async throws {
        try await withPending { store, _ in
            let error = #expect(throws: BundleError.self) {
                try store.setPending(name("shop"), version("9"), .nextStart)
            }
            #expect(error?.code == .notFound)
        }
    }

    @Test("in a row that can't be read wait for nothing")
    func damage() async throws {
        try await withPending { _, directory in
            try directory.changeCatalog("UPDATE pendingActivation SET mode = 'never'")
            #expect(try pending(directory.openStore()) == nil)
        }
    }
}
