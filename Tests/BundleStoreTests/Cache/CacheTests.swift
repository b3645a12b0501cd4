import BundleTesting
import Foundation
import Testing

@testable import BundleStore

@Suite("Cached responses")
struct CacheTests: CacheFixture {
    @Test("are found by their URL, with their body, from any process", arguments: [0, 1, 65_536, 65_537, 3 << 20])
    func roundTrip(_ count: Int) async throws {
        try await withShop { store, directory, clock in
            let body = [UInt8](repeating: 3, count: count)
            #expect(try keep(body, in: store))
            let other = try directory.openStore()
            let response = try #require(try other.cachedResponses(for: CachedSample.url).first)
            #expect(
                (response.url, response.bundle.string, response.version.string) == (CachedSample.url, "shop", "1.0.0")
            )
            #expect((response.metadata, response.byteCount, response.storedAt) == ([1, 2], Int64(count), clock.date))
            #expect(other.body(of: response)?.digest == Digest(of: body))
            #expect(try other.cachedResponses(for: "https://m.example.com/other").isEmpty)
            #expect(try directory.names(in: "cache").count == (count > CachedBodyWriter.memoryByteCount ? 1 : 0))
            #expect(try directory.names(in: "incoming").isEmpty)
        }
    }

    @Test("are listed latest first")
    func order() async throws {
        try await withShop { store, _, clock in
            try keep([1], in: store)
            clock.advance(by: .seconds(1))
            try keep([2, 2], in: store, url: "https://m.example.com/b")
            try keep([3, 3, 3], in: store, variant: 1)
            #expect(try store.cachedResponses().map(\.byteCount) == [3, 2, 1])
            #expect(try store.cachedResponses(for: CachedSample.url).map(\.byteCount) == [3, 1])
        }
    }

    @Test("that are replaced are removed with their bodies")
    func replaced() async throws {
        try await withShop { store, directory, _ in
            try keep(CachedSample.long, in: store)
            let old = try store.cachedResponses()
            try keep([2, 2], in: store)
            #expect(try store.cachedResponses().map(\.byteCount) == [2])
            #expect(try directory.names(in: "cache").isEmpty)
            #expect(store.body(of: old[0]) == nil)
            try keep(CachedSample.long, in: store)
            #expect(try directory.names(in: "cache").count == 1)
            try keep([4], in: store, variant: 1)
            #expect(try store.cachedResponses().count == 2)
        }
    }

    @Test("can change their metadata")
    func update() async throws {
        try await withShop { store, _, _ in
            try keep([1], in: store)
            let old = try store.cachedResponses()[0]
            let selection = CachedSelection(selectors: "y", digest: 7, alternative: 8)
            store.update(store.row(of: old), metadata: [9], selection: selection)
            let response = try store.cachedResponses()[0]
            #expect((response.metadata, response.selection) == ([9], selection))
            #expect(store.body(of: response)?.array == [1])
        }
    }

    @Test("are dropped one by one, and dropping them again is not an error")
    func drop() async throws {
        try await withShop { store, directory, _ in
            try keep(CachedSample.long, in: store)
            let response = try store.cachedResponses()[0]
            for _ in 0..<2 { store.drop(store.row(of: response)) }
            #expect(try store.cachedResponses().isEmpty)
            #expect(try directory.names(in: "cache").isEmpty)
        }
    }

    @Test("are cleared for one bundle or for all")
    func clear() async throws {
        try await withShop { store, directory, _ in
            try store.install("1", of: "news")
            try keep([1], in: store)
            try keep([1, 2], in: store, variant: 1)
            try keep([1, 2, 3], in: store, of: "news", version: "1")
            #expect(try store.clearCache(of: name("shop")) == (2, 3))
            #expect(try store.cachedResponses().map(\.bundle.string) == ["news"])
            #expect(try store.clearCache() == (1, 3))
            #expect(try directory.names(in: "cache").isEmpty)
            #expect(try store.clearCache() == (0, 0))
        }
    }

    @Test("that were requested under a version that is no longer active aren't kept, and leave no file")
    func late() async throws {
        try await withShop { store, directory, _ in
            let before = try directory.storeFiles()
            #expect(try !keep([1], in: store, version: "0.9.0"))
            #expect(try !keep([1], in: store, of: "other"))
            #expect(try directory.storeFiles() == before)
            #expect(try store.cachedResponses().isEmpty)
        }
    }

    @Test("that are abandoned leave no file")
    func abandoned() async throws {
        try await withShop { store, directory, _ in
            let before = try directory.storeFiles()
            do {
                let writer = store.beginCachedBody()
                try writer.append([UInt8](repeating: 5, count: 3 << 20))
            }
            store.awaitCache()
            #expect(try directory.storeFiles() == before)
        }
    }

    @Test("are removed on the thread that writes, not on the one that releases them, and meanwhile block no prune")
    func removal() async throws {
        try await withShop { store, directory, _ in
            store.cache.writer.queue.suspend()
            do {
                let writer = store.beginCachedBody()
                try writer.append(CachedSample.long)
            }
            // An event loop that has released the body goes on.
            #expect(try directory.names(in: "incoming").count == 1)
            let lock = try StoreLock.take(store.layout, bundle: nil, .exclusive, waits: false)
            withExtendedLifetime(lock) {}
            store.cache.writer.queue.resume()
            store.awaitCache()
            #expect(try directory.names(in: "incoming").isEmpty)
        }
    }

    @Test("that are being written aren't taken for orphans by another process")
    func concurrentOpen() async throws {
        try await withShop { store, directory, _ in
            let writer = store.beginCachedBody()
            try writer.append(CachedSample.long)
            let other = try directory.openStore()
            #expect(try directory.names(in: "incoming").count == 1)
            #expect(throws: BundleError.self) { try other.prune() }
            #expect(try writer.content().digest == Digest(of: CachedSample.long))
            try keep(CachedSample.long, in: store)
            #expect(try other.body(of: other.cachedResponses()[0])?.digest == Digest(of: CachedSample.long))
        }
    }
}
