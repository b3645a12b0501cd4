import BundleServing
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@testable import BundleNetwork
@testable import BundleStore

@Suite("Eviction of what is used in memory")
struct CacheUseTests {
    private static let base = "https://m.example.com/shop/"
    private let clock = TestClock()

    private func request(_ path: String) -> HTTPRequest {
        HTTPRequest(method: .get, scheme: "https", authority: "m.example.com", path: "/shop/\(path)")
    }

    private func keep(_ path: String, in cache: ResponseCache, _ release: Release) throws {
        let writer = cache.beginBody()
        try writer.append(Array(path.utf8))
        let exchange = OriginExchange(
            url: Self.base + path,
            request: request(path),
            requestTime: clock.date,
            response: HTTPResponse(status: .ok, headerFields: [.cacheControl: "max-age=60"]),
            responseTime: clock.date
        )
        _ = cache.keep(exchange, key: Self.base + path, body: writer, under: release)
    }

    @Test("the responses that are requested again and again stay on the disk, also those that were used before written")
    func hottest() async throws {
        try await withTemporaryDirectory { directory in
            var limits = CacheLimits()
            limits.maximumCount = 10
            let store = try BundleStore(at: directory.path, creating: true, cacheLimits: limits, now: clock.read)
            try store.install(try BundleManifest.sample(), files: ["index.html": ""])
            let release = try #require(store.snapshot.sortedBundles.first?.active)
            let cache = ResponseCache(store: store, policy: CachePolicy(isShared: false), maximumByteCount: 100)
            let hot = ["a", "b", "c"]
            func use() {
                for path in hot {
                    #expect(cache.remembered(request(path), key: Self.base + path, under: release)?.variant != nil)
                }
            }
            for path in hot { try keep(path, in: cache, release) }
            use()
            for number in 0..<60 {
                try keep("\(number)", in: cache, release)
                await cache.flush()
                use()
                let stored = Set(try store.cachedResponses().map(\.url))
                #expect(stored.isSuperset(of: hot.map { Self.base + $0 }), "after \(number)")
            }
        }
    }
}
