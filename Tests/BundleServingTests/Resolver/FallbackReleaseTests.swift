import BundleTesting
import Foundation
import Testing

@testable import BundleServing
@testable import BundleStore

@Suite("The origins of a release that replaces a damaged one")
struct FallbackReleaseTests {
    @Test("are those that the damaged release has too, so that one taken over by another bundle stays there")
    func givenUp() async throws {
        try await withDamaged { store in
            let resolver = ResourceResolver(store.snapshot)
            #expect(resolver.outcome("https://x.example/shop/old.js") == "missing")
            #expect(resolver.outcome("https://x.example/eve.js") == "eve.js")
            #expect(resolver.outcome("https://y.example/old.js") == "old.js")
            #expect(resolver.outcome("/old.js", host: "aaa.localhost") == "old.js")
            #expect(!resolver.isMapped(host: "z.example"))
        }
    }

    @Test("are those that no other bundle has, when the catalog no longer knows the damaged release's")
    func unknown() async throws {
        try await withDamaged { store in
            let snapshot = store.snapshot
            let name = BundleName("aaa")
            let bundle = try #require(snapshot.bundles[name])
            var bundles = snapshot.bundles
            let row = StoreDamage(bundle: name, version: nil, "test", nil)
            bundles[name] = InstalledBundle(name, bundle.releases, damagedRow: row)
            let resolver = ResourceResolver(
                StoreSnapshot(bundles: bundles, damage: [row], generation: 1, revision: 1)
            )
            #expect(resolver.outcome("https://x.example/shop/old.js") == "missing")
            #expect(resolver.outcome("https://x.example/eve.js") == "eve.js")
            #expect(resolver.outcome("https://y.example/old.js") == "old.js")
            #expect(resolver.outcome("https://z.example/old.js") == "old.js")
        }
    }

    /// Passes on a store with `aaa`, whose damaged version has given up two of three origins, and `eve`, which took
    /// one.
    private func withDamaged(_ body: (BundleStore) throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            do {
                let fixture = try ResolverFixture(in: directory)
                let all = ["https://x.example/shop/", "https://y.example/", "https://z.example/"].map { ($0, "/") }
                try fixture.install("aaa", "1", origins: all, files: ["old.js"])
                let indexes = directory.path + "/indexes/"
                let before = try FileManager.default.contentsOfDirectory(atPath: indexes)
                try fixture.install("aaa", "2", origins: [("https://y.example/", "/")], files: ["new.js"])
                for index in try FileManager.default.contentsOfDirectory(atPath: indexes) where !before.contains(index)
                {
                    try Data().write(to: URL(fileURLWithPath: indexes + index))
                }
                try fixture.install("eve", origins: [("https://x.example/", "/")], files: ["eve.js", "shop/eve.js"])
            }
            let store = try BundleStore(at: directory.path)
            #expect(store.snapshot.bundles.values.contains { $0.fallbackRelease?.version.string == "1" })
            try body(store)
        }
    }
}
