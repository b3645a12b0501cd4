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

    /// What is done when everybody works, first on what is awaited.
    private func paths(_ queue: inout VariantQueue) -> [String] {
        var paths: [String] = []
        for lane in VariantQueue.Lane.allCases {
            while case .make(_, let asset) = queue.next(in: lane) { paths.append(asset.path) }
        }
        return paths
    }

    @Test("what an answer waits for comes first, then what was asked for, then what may be; each in its order")
    func order() async throws {
        try await withAssets(6) { assets in
            var queue = VariantQueue()
            let urgencies: [VariantQueue.Urgency] = [.expected, .wanted, .awaited, .expected, .wanted, .awaited]
            for (asset, urgency) in zip(assets, urgencies) {
                queue.add(VariantKey(asset.digest, .brotli), of: asset, urgency)
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
            for (key, asset) in zip(keys, assets) { queue.add(key, of: asset, .expected) }
            queue.add(keys[1], of: assets[1], .wanted)
            #expect(!queue.hasJob(in: .prompt))
            queue.add(keys[2], of: assets[2], .awaited)
            #expect(queue.hasJob(in: .prompt))
            let order = paths(&queue)
            #expect(order == ["1002", "1000", "1001"])
        }
    }

    @Test("what is done isn't done again, unless it is to be reconsidered or may be asked for again")
    func done() async throws {
        try await withAssets(1) { assets in
            var queue = VariantQueue()
            let key = VariantKey(assets[0].digest, .brotli)
            func isTaken() -> Bool {
                queue.add(key, of: assets[0], .wanted)
                return queue.next(in: .background) != nil
            }
            var taken = [isTaken()]
            #expect(queue.isOpen(key))
            taken.append(isTaken())
            queue.finish(key, again: true)
            #expect(!queue.isOpen(key))
            taken.append(isTaken())
            queue.finish(key, again: false)
            taken.append(isTaken())
            queue.reconsider()
            taken.append(isTaken())
            #expect(taken == [true, false, true, false, true])
        }
    }

    @Test("it is bounded")
    func bound() async throws {
        try await withAssets(VariantQueue.maximumCount + 1) { assets in
            var queue = VariantQueue()
            for asset in assets { queue.add(VariantKey(asset.digest, .brotli), of: asset, .wanted) }
            let count = paths(&queue).count
            #expect(count == VariantQueue.maximumCount)
            for asset in assets { queue.add(VariantKey(asset.digest, .gzip), of: asset, .wanted) }
            queue.removeAll()
            #expect(!queue.hasJob(in: .background))
        }
    }
}
