import BundleTesting
import Foundation
import Testing

@testable import BundleStore

@Suite("Cached responses of a bundle")
struct CacheActivationTests: CacheFixture {
    @Test("are dropped when another version of their bundle becomes active, in any way")
    func activation() async throws {
        try await withShop { store, _, _ in
            try store.install("1", of: "news")
            try keep([1], in: store, of: "news", version: "1")
            let changes: [(String, () throws -> Void)] = [
                ("1.0.0", { try store.install("2.0.0", ["index.html": "two"]) }),
                ("2.0.0", { try store.rollBack(name("shop")) }),
                ("1.0.0", { try store.activate(name("shop"), version("2.0.0")) }),
                ("2.0.0", { try store.install("1.0.0") }),
            ]
            for (active, change) in changes {
                try keep([1, 2], in: store, version: active)
                try change()
                #expect(try store.cachedResponses().map(\.bundle.string) == ["news"])
            }
        }
    }

    @Test("are kept when the same version is activated again, or another is installed without activation")
    func sameVersion() async throws {
        try await withShop { store, _, _ in
            try keep([1], in: store)
            try store.activate(name("shop"), version("1.0.0"))
            try store.install("2.0.0", ["index.html": "two"], activating: false)
            try store.install("1.0.0")
            let response = try #require(try store.cachedResponses().first)
            #expect(store.body(of: response) != nil)
        }
    }

    @Test("are removed with their bundle, and their bodies with the next prune")
    func removal() async throws {
        try await withShop { store, directory, _ in
            try keep(CachedSample.long, in: store)
            try store.remove(name("shop"), nil)
            #expect(try store.cachedResponses().isEmpty)
            _ = try store.prune()
            #expect(try directory.names(in: "cache").isEmpty)
        }
    }

    /// The selections that a look-up reads under a version.
    private func found(_ version: String, in store: BundleStore) throws -> Int {
        let key = try CachedKey(CachedSample.url, bundle: name("shop"), version: BundleStoreTests.version(version))
        return try store.selections(under: key).count
    }

    @Test("aren't found from the activation on, and are removed behind it with their files, some at a time")
    func behind() async throws {
        try await withShop { store, directory, _ in
            for number in 0..<2_500 {
                let response = try new("https://m.example.com/\(number)", "1.0.0", in: store)
                #expect(store.keep(response) != nil)
            }
            try keep(CachedSample.long, in: store)
            try store.install("2.0.0", ["index.html": "two"], activating: false)
            // What it removes behind the installation would be these.
            store.awaitCache()
            let release = try #require(store.bundle(name("shop")).release(version("2.0.0")))
            // Without the store that removes them.
            try store.catalog.releases.activate(release.record, at: Date(), holding: nil, permittingOverlapWith: [])
            #expect(try store.catalog.cachedResponses.responses().responses.count == 2_501)
            #expect(try found("2.0.0", in: store) == 0)
            #expect(try store.catalog.cachedResponses.removeOutdated(limit: 1_000).count == 1_000)
            try store.refresh()
            #expect(try store.cachedResponses().isEmpty)
            #expect(try directory.names(in: "cache").isEmpty)
            #expect(try store.catalog.cachedResponses.removeOutdated(limit: 1_000).count == 0)
        }
    }

    @Test("that another process has begun to remove aren't found after a rollback, and are removed by the next one")
    func interrupted() async throws {
        try await withShop { store, directory, _ in
            try keep([1], in: store)
            try store.install("2.0.0", ["index.html": "two"], activating: false)
            store.awaitCache()
            let shop = try store.bundle(name("shop"))
            let (first, second) = (
                try #require(shop.release(version("1.0.0"))), try #require(shop.release(version("2.0.0")))
            )
            func activate(_ release: Release) throws {
                try store.catalog.releases.activate(release.record, at: Date(), holding: nil, permittingOverlapWith: [])
            }
            try activate(second)
            #expect(try found("1.0.0", in: store) == 1)
            try activate(first)
            #expect(try found("1.0.0", in: store) == 0)

            try keep([1], in: store)
            try activate(second)
            let other = try directory.openStore()
            try keep([2], in: other, url: "https://m.example.com/b", version: "2.0.0")
            #expect(try other.cachedResponses().map(\.version.string) == ["2.0.0"])
        }
    }

    @Test("that wait to be written when their version is left aren't written once it is active again")
    func waiting() async throws {
        try await withShop { store, _, _ in
            let first = try #require(store.bundle(name("shop")).active)
            try store.install("2.0.0", ["index.html": "two"], activating: false)
            let second = try #require(store.bundle(name("shop")).release(version("2.0.0")))
            for activation in [nil, first.activationNumber] {
                let response = try new("https://m.example.com/a", "1.0.0", activation, in: store)
                let row = CachedRow()
                func apply() throws -> CachedRow.State {
                    try #require(
                        store.catalog.cachedResponses.apply(
                            [.insert(response, row)],
                            limits: CacheLimits(),
                            beside: 0,
                            sparing: CacheUse(),
                            noting: store.cacheChanges,
                            at: Date()
                        ).states.first
                    )
                }
                for release in [second, first] {
                    try store.catalog.releases.activate(
                        release.record,
                        at: Date(),
                        holding: nil,
                        permittingOverlapWith: []
                    )
                }
                let isWritten = if case .written = try apply() { true } else { false }
                #expect(isWritten == (activation == nil))
            }
        }
    }

    private func new(
        _ url: String,
        _ version: String,
        _ activation: Int64? = nil,
        in store: BundleStore
    ) throws -> NewCachedResponse {
        let writer = store.beginCachedBody()
        try writer.append([1])
        let body = try writer.finish()
        let none = CachedPartList([], of: 1)
        return try NewCachedResponse(
            url: url,
            key: CachedKey(url, bundle: name("shop"), version: BundleStoreTests.version(version)),
            bundle: name("shop"),
            version: BundleStoreTests.version(version),
            activation: activation,
            selection: CachedSelection(selectors: "", digest: 0),
            metadata: [1],
            parts: CachedPartList([none.part(at: 0, body)], of: 1),
            bodies: [body],
            digests: { _ in [0] }
        )
    }
}
