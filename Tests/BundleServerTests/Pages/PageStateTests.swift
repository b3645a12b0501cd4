import BundleStore
import Testing

@testable import BundleServer

@Suite("What a page gets to know of its bundle")
struct PageStateTests {
    private static let shop = BundleName("shop")

    @Test("a release that the last check has chosen is available, with its notes")
    func chosen() async throws {
        try await withShop { store in
            #expect(try state(in: store).available == nil)
            try Self.check(store, choosing: "1.2.0", "A darker footer.")
            let state = try state(in: store)
            #expect(state.available?.string == "1.2.0")
            #expect(state.notes == "A darker footer.")
            let document = JSONDocument.line(of: state)
            #expect(document.contains(#""available":"1.2.0""#))
            #expect(document.contains(#""notes":"A darker footer.""#))
        }
    }

    @Test("the root by which the active release is vouched for, and none for another one")
    func signed() async throws {
        try await withShop { store in
            #expect(try state(in: store).signedBy == nil)
            #expect(!JSONDocument.line(of: try state(in: store)).contains("signedBy"))
            let root = Digest(of: [1])
            try store.trust(Self.shop, by: root, isPinned: false, [])
            #expect(try state(in: store).signedBy == nil)
            try store.recordSigner(root, by: root, of: try #require(store.bundle(Self.shop).active))
            #expect(JSONDocument.line(of: try state(in: store)).contains(#""signedBy":"\#(root)""#))
            try store.installShop("1.2.0", script: "2")
            #expect(try state(in: store).signedBy == nil)
        }
    }

    @Test("what a feed offers isn't available unless it is chosen")
    func offered() async throws {
        try await withShop { store in
            let version = BundleVersion("1.2.0")
            try store.record(UpdateEvent(.checked, Self.shop, at: store.now(), version: version))
            #expect(try state(in: store).available == nil)
        }
    }

    @Test(
        "nothing is available once that is installed, forbidden, or chosen no more",
        arguments: [
            { store in try store.setHold(true, shop) },
            { store in try store.installShop("1.2.0", script: "2") },
            { store in try store.installShop("1.3.0", script: "3") },
            { store in
                try store.installShop("1.2.0", script: "2")
                try store.rollBack(shop)
            },
            { store in
                try store.installShop("1.2.0", script: "2")
                try store.markBad(shop, BundleVersion("1.2.0"), reason: "it stays white")
            },
            { store in try check(store, choosing: nil) },
        ] as [@Sendable (BundleStore) throws -> Void]
    )
    func gone(_ change: @Sendable (BundleStore) throws -> Void) async throws {
        try await withShop { store in
            try Self.check(store, choosing: "1.2.0", "A darker footer.")
            try change(store)
            let state = try state(in: store)
            #expect(state.available == nil)
            #expect(state.notes == nil)
        }
    }

    @Test(
        "the notes are those of the release that becomes active later, whatever is chosen since",
        arguments: ["1.3.0", nil]
    )
    func ready(_ next: String?) async throws {
        try await withShop { store in
            try Self.check(store, choosing: "1.2.0", "A darker footer.")
            try store.install(
                #"{"name": "shop", "version": "1.2.0", "origins": []}"#,
                ["index.html": Array("2".utf8)],
                activating: false
            )
            try store.setPending(Self.shop, BundleVersion("1.2.0"), .nextStart)
            try Self.check(store, choosing: next, "No footer.")
            let state = try state(in: store)
            #expect(state.ready?.string == "1.2.0")
            #expect(state.available?.string == next)
            #expect(state.notes == "A darker footer.")
        }
    }

    private func withShop(_ body: (BundleStore) async throws -> Void) async throws {
        try await withStore { store in
            try store.installShop("1.1.0", script: "1")
            try await body(store)
        }
    }

    private func state(in store: BundleStore) throws -> PageState {
        PageStateReader(store: store).state(of: try store.bundle(Self.shop))
    }

    /// Records what a check has chosen.
    private static func check(_ store: BundleStore, choosing version: String?, _ notes: String? = nil) throws {
        let version = version.flatMap { BundleVersion($0) }
        try store.record(UpdateEvent(.decided, shop, at: store.now(), version: version, detail: notes))
    }
}
