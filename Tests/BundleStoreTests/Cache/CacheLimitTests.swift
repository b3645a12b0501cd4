import BundleTesting
import Foundation
import Testing

@testable import BundleStore

@Suite("Limits of what is cached")
struct CacheLimitTests: CacheFixture {
    @Test("are kept within the limits, and the oldest are dropped first", arguments: [(3, 100_000), (100, 3 * 516)])
    func limits(_ count: Int, _ bytes: Int) async throws {
        try await withShop { _, directory, clock in
            var limits = CacheLimits()
            limits.maximumCount = count
            limits.maximumByteCount = Int64(bytes)
            let store = try directory.openStore(clock: clock, cacheLimits: limits)
            for number in 1...5 {
                clock.advance(by: .seconds(1))
                try keep([1, 2, 3, 4], in: store, url: "https://m.example.com/\(number)")
            }
            let urls = try store.cachedResponses().map(\.url)
            #expect(urls == ["https://m.example.com/5", "https://m.example.com/4", "https://m.example.com/3"])
        }
    }

    @Test("that were used are spared by eviction, and those that were used once leave before them")
    func spared() async throws {
        try await withShop { _, directory, clock in
            var limits = CacheLimits()
            limits.maximumCount = 3
            let store = try directory.openStore(clock: clock, cacheLimits: limits)
            for number in 1...3 { try keep([1], in: store, url: "https://m.example.com/\(number)") }
            let oldest = try #require(try store.cachedResponses().last)
            #expect(store.noteUse(of: store.row(of: oldest)))
            for (number, expected) in [(4, "431"), (5, "541"), (6, "651"), (7, "761")] {
                try keep([1], in: store, url: "https://m.example.com/\(number)")
                let urls = try store.cachedResponses().compactMap(\.url.last)
                #expect(String(urls) == expected)
            }
        }
    }

    @Test("of one key are at most 32, and the oldest go")
    func variants() async throws {
        try await withShop { store, _, _ in
            for number in 1...40 { try keep([1], in: store, variant: Int64(number)) }
            let key = CachedKey(CachedSample.url, bundle: try name("shop"), version: try version("1.0.0"))
            #expect(try store.selections(under: key).map(\.selection.digest) == (9...40).map(Int64.init))
            store.dropCachedResponses(under: key)
            #expect(try store.cachedResponses().isEmpty)
        }
    }

    @Test("have their numbers and bytes counted, also when the counts are damaged")
    func counts() async throws {
        try await withTemporaryDirectory { directory in
            for damage in ["", "byteCount = 'x'", "byteCount = -1, responseCount = -1", "responseCount = x'00'"] {
                let store = try directory.openStore()
                if try store.cachedResponses().isEmpty { try store.install("1.0.0") }
                for number in 1...3 { try keep([1, 2, 3], in: store, url: "https://m.example.com/\(number)") }
                if !damage.isEmpty { try directory.changeCatalog("UPDATE cacheState SET \(damage)") }
                try keep(CachedSample.long, in: store, url: "https://m.example.com/4")
                let sums = try store.catalog.connection.read { try CacheState(in: $0).sums }
                #expect(sums?.count == 4 && sums?.byteCount == Int64(9 + CachedSample.long.count), "\(damage)")
            }
        }
    }
}
