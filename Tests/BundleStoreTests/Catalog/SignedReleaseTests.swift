import BundleTesting
import Testing

@testable import BundleStore

@Suite("Releases that are vouched for")
struct SignedReleaseTests {
    private static let shop = BundleName("shop")
    private static let root = Digest(of: [1])

    private static func document(_ version: Int64) -> TrustedDocument {
        TrustedDocument(TrustedDocument.root, version: version, [UInt8(version)])
    }

    /// Calls `body` with a store whose active release is vouched for.
    private func withSigned(_ body: (BundleStore, TemporaryDirectory) throws -> Void) async throws {
        try await withStore { store, directory in
            try store.install("1")
            try store.install("2")
            try store.trust(Self.shop, by: Self.root, isPinned: false, [Self.document(1)])
            try store.recordSigner(Self.root, by: Self.root, of: try #require(store.bundle(Self.shop).active))
            try body(store, directory)
        }
    }

    @Test("are known in a later process, and in reports")
    func known() async throws {
        try await withSigned { store, directory in
            for store in [store, try directory.openStore()] {
                let bundle = try store.bundle(Self.shop)
                #expect(bundle.signedBy == Self.root.hex)
                #expect(bundle.reports.map(\.signedBy) == [Self.root, nil])
            }
        }
    }

    @Test(
        "are none any more with other content, when they were removed, and without the trust in the feed",
        arguments: [
            { try $0.install("2", ["index.html": "other"], replacing: true) },
            { store in
                try store.activate(shop, version("1"))
                try store.remove(shop, version("2"))
                try store.install("2")
            },
            { store in
                let hasEnded = try store.endTrust(of: shop)
                #expect(hasEnded)
            },
        ] as [@Sendable (BundleStore) throws -> Void]
    )
    func ended(_ change: @Sendable (BundleStore) throws -> Void) async throws {
        try await withSigned { store, directory in
            try change(store)
            #expect(try store.bundle(Self.shop).signedBy == nil)
            #expect(try directory.openStore().bundle(Self.shop).signedBy == nil)
        }
    }

    @Test("come back with a rollback")
    func rollback() async throws {
        try await withSigned { store, _ in
            try store.rollBack(Self.shop)
            #expect(try store.bundle(Self.shop).signedBy == nil)
            try store.activate(Self.shop, version("2"))
            #expect(try store.bundle(Self.shop).signedBy == Self.root.hex)
        }
    }

    @Test("are none by a root that the feed isn't trusted by")
    func otherRoot() async throws {
        try await withSigned { store, _ in
            let other = try #require(store.bundle(Self.shop).release(version("1")))
            try store.recordSigner(Digest(of: [2]), by: Self.root, of: other)
            #expect(try store.bundle(Self.shop).signature(of: other) == nil)
        }
    }

    @Test("are none where their row can't be read", arguments: ["root = 'x'", "contentDigest = 'x'", "root = 1"])
    func damaged(_ change: String) async throws {
        try await withSigned { _, directory in
            try directory.changeCatalog("UPDATE signedRelease SET \(change)")
            #expect(try directory.openStore().bundle(Self.shop).signedBy == nil)
        }
    }

    @Test("the roots by which a feed was trusted are remembered as long as the trust")
    func roots() async throws {
        try await withSigned { store, _ in
            try store.keep(Self.document(2), of: Self.shop, by: Self.root, root: 1)
            let digests = [1, 2].map { Digest(of: [UInt8($0)]) }
            #expect(try store.trustedRoots(of: Self.shop) == [1: digests[0], 2: digests[1]])
            #expect(try store.trustedRoots(of: BundleName("news")) == [:])
            _ = try store.endTrust(of: Self.shop)
            #expect(try store.trustedRoots(of: Self.shop) == [:])
        }
    }
}
