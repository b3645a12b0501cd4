import BundleTesting
import Testing

@testable import BundleStore

@Suite("A pinned version")
struct PinTests {
    private func withPinned(_ body: (BundleStore, TemporaryDirectory) throws -> Void) async throws {
        try await withStore { store, directory in
            for number in 1...4 { try store.install("\(number).0.0", ["index.html": "page \(number)"]) }
            try store.setPinned(true, name("shop"), version("1.0.0"))
            try body(store, directory)
        }
    }

    @Test("is reported by every process, until it is unpinned")
    func told() async throws {
        try await withPinned { store, directory in
            #expect(try directory.openStore().release("1.0.0").isPinned)
            #expect(try !store.release("2.0.0").isPinned)
            try store.setPinned(false, name("shop"), version("1.0.0"))
            #expect(try !directory.openStore().release("1.0.0").isPinned)
        }
    }

    @Test("survives pruning and doesn't count among the kept versions", arguments: [0, 1])
    func pruning(_ count: Int) async throws {
        try await withPinned { store, _ in
            try store.prune(keeping: count)
            #expect(try store.versions() == ["4.0.0", "3.0.0"].prefix(1 + count) + ["1.0.0"])
            #expect(try store.verify().isEmpty)
            try store.setPinned(false, name("shop"), version("1.0.0"))
            try store.prune(keeping: 0)
            #expect(try store.versions() == ["4.0.0"])
        }
    }

    @Test("isn't removed, alone or with its bundle, and the message says how to remove it", arguments: ["1.0.0", nil])
    func removal(_ text: String?) async throws {
        try await withPinned { store, _ in
            let error = #expect(throws: BundleError.self) {
                try store.remove(name("shop"), text.map { try version($0) })
            }
            #expect(error?.code == .invalidArgument)
            #expect(error?.message == "shop@1.0.0 is pinned; unpin shop@1.0.0 first")
            #expect(try error?.remedy == .unpin(name("shop"), version("1.0.0")))
            let versions = try store.versions()
            #expect(versions.count == 4)
        }
    }

    @Test("stays pinned when its content is replaced, even if it is active")
    func replacement() async throws {
        try await withPinned { store, _ in
            try store.install("1.0.0", ["index.html": "other"], replacing: true)
            #expect(try store.release("1.0.0").isPinned)
            try store.install("5.0.0", ["index.html": "page 5"])
            try store.prune(keeping: 0)
            #expect(try store.versions() == ["5.0.0", "1.0.0"])
        }
    }

    @Test("must be installed")
    func missing() async throws {
        try await withPinned { store, _ in
            let error = #expect(throws: BundleError.self) { try store.setPinned(true, name("shop"), version("9")) }
            #expect(error?.code == .notFound)
        }
    }
}
