import BundleStore
import BundleTesting
import Testing

@testable import BundleServer

@Suite("VariantQueue")
struct VariantQueueTests {
    /// Lends this many assets, named by the numbers from 1000 on.
    private func withAssets(_ count: Int, _ body: ([Asset]) throws -> Void) async throws {
        try await withStore { store in
            try store.install(
                #"{"name": "shop", "version": "1", "origins": []}"#,
                Dictionary(uniqueKeysWithValues: (0..<count).map { ("\(1_000 + $0)", "content \($0)") })
            )
            let release = try #require(store.snapshot.sortedBundles.first?.active)
            try body(Array(release.assets))
        }
    }

    private func paths(_ queue: inout VariantQueue) -> [String] {
        var paths: [String] = []
        while case .make(_, let asset) = queue.next() { paths.append(asset.path) }
        return paths
    }

    @Test("what an answer waits for comes first, then what was asked for, then what may be; each in its order")
    func order() async throws {
        try await withAssets(6) { assets in
            var queue = VariantQueue()
            let urgencies: [VariantQueue.Urgency] = [.expected, .wanted, .awaited, .expected, .wanted, .awaited]
            for (asset, urgency) in zip(assets, urgencies) {
                _ = queue.add(VariantKey(asset.digest, .brotli), of: asset, urgency)
            }
            let order = paths(&queue)
            #expect(order == ["1002", "1005", "1001", "1004", "1000", "1003"])
        }
    }

    @Test("what waits is there once, and comes earlier when an answer begins to wait for it")
    func promotion() async throws {
        try await withAssets(3) { assets in
            var queue = VariantQueue()
            let keys = assets.map { VariantKey($0.digest, .brotli) }
            var added = zip(keys, assets).map { queue.add($0, of: $1, .expected) }
            added.append(queue.add(keys[1], of: assets[1], .wanted))
            added.append(queue.add(keys[2], of: assets[2], .awaited))
            #expect(added == [true, true, true, false, false])
            let order = paths(&queue)
            #expect(order == ["1002", "1000", "1001"])
        }
    }

    @Test("what is done isn't done again, unless it is to be reconsidered or may be asked for again")
    func done() async throws {
        try await withAssets(1) { assets in
            var queue = VariantQueue()
            let key = VariantKey(assets[0].digest, .brotli)
            var added = [queue.add(key, of: assets[0], .wanted)]
            _ = queue.next()
            #expect(queue.isOpen(key))
            added.append(queue.add(key, of: assets[0], .wanted))
            queue.finish(key, again: true)
            #expect(!queue.isOpen(key))
            added.append(queue.add(key, of: assets[0], .wanted))
            _ = queue.next()
            queue.finish(key, again: false)
            added.append(queue.add(key, of: assets[0], .awaited))
            queue.reconsider()
            added.append(queue.add(key, of: assets[0], .wanted))
            #expect(added == [true, false, true, false, true])
        }
    }

    @Test("it is bounded")
    func bound() async throws {
        try await withAssets(VariantQueue.maximumCount + 1) { assets in
            var queue = VariantQueue()
            let added = assets.count { queue.add(VariantKey($0.digest, .brotli), of: $0, .wanted) }
            #expect(added == VariantQueue.maximumCount)
            queue.removeAll()
            let order = paths(&queue)
            #expect(order.isEmpty)
        }
    }
}
