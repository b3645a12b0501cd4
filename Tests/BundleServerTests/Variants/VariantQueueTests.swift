import BundleNetwork
import BundleStore
import BundleTesting
import HTTPCore
import Testing

@testable import BundleServer

@Suite("VariantQueue")
struct VariantQueueTests {
    /// Passes on this many assets, named by the numbers from 1000 on.
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

    /// The work in the order in which it is done, the awaited forms first.
    private func paths(_ queue: inout VariantQueue) -> [String] {
        var paths: [String] = []
        for priority in WorkThread.Priority.allCases {
            while case .make(_, let asset) = queue.next(of: priority) { paths.append(asset.path) }
        }
        return paths
    }

    @Test("awaited forms come first, then those that may be requested, then those that were; each in order")
    func order() async throws {
        try await withAssets(6) { assets in
            var queue = VariantQueue()
            let urgencies: [VariantQueue.Urgency] = [.expected, .wanted, .awaited, .expected, .wanted, .awaited]
            for (asset, urgency) in zip(assets, urgencies) {
                queue.add(VariantKey(asset.digest, .brotli), of: asset, urgency, at: .zero)
            }
            let order = paths(&queue)
            #expect(order == ["1002", "1005", "1000", "1003", "1001", "1004"])
        }
    }

    @Test("a waiting form is queued once, and moves up when a response awaits it")
    func promotion() async throws {
        try await withAssets(3) { assets in
            var queue = VariantQueue()
            let keys = assets.map { VariantKey($0.digest, .brotli) }
            for (key, asset) in zip(keys, assets) { queue.add(key, of: asset, .expected, at: .zero) }
            queue.add(keys[1], of: assets[1], .wanted, at: .zero)
            #expect(!queue.hasJob(of: .prompt))
            queue.add(keys[2], of: assets[2], .awaited, at: .zero)
            #expect(queue.hasJob(of: .prompt))
            let order = paths(&queue)
            #expect(order == ["1002", "1000", "1001"])
        }
    }

    @Test("the newest state of the store comes before the forms, and older states are dropped")
    func snapshots() async throws {
        try await withStore { store in
            try store.install(#"{"name": "shop", "version": "1", "origins": []}"#, ["1000": "content"])
            let before = store.snapshot
            let asset = try #require(before.sortedBundles.first?.active?.assets.first { _ in true })
            var queue = VariantQueue()
            queue.add(VariantKey(asset.digest, .brotli), of: asset, .expected, at: .zero)
            queue.add(before)
            try store.install(#"{"name": "shop", "version": "2", "origins": []}"#, ["1000": "other"])
            queue.add(store.snapshot)
            #expect(!queue.hasJob(of: .prompt))
            let first = queue.next(of: .background)
            guard case .takeIn(let snapshot) = first else {
                return #expect(Bool(false), "\(String(describing: first))")
            }
            #expect(snapshot.generation == store.snapshot.generation)
            let order = paths(&queue)
            #expect(order == ["1000"])
            queue.add(before)
            queue.removeAll()
            #expect(!queue.hasJob(of: .background))
        }
    }

    @Test("a form isn't made again, unless it is reconsidered, may be requested again, or was tried long ago")
    func done() async throws {
        try await withAssets(1) { assets in
            var queue = VariantQueue()
            let key = VariantKey(assets[0].digest, .brotli)
            var now = Duration.seconds(1)
            func isTaken() -> Bool {
                queue.add(key, of: assets[0], .wanted, at: now)
                return queue.next(of: .background) != nil
            }
            var taken = [isTaken()]
            #expect(queue.isOpen(key))
            taken.append(isTaken())
            queue.finish(key, again: true, at: now)
            #expect(!queue.isOpen(key))
            taken.append(isTaken())
            queue.finish(key, again: false, at: now)
            taken.append(isTaken())
            queue.reconsider()
            taken.append(isTaken())
            #expect(taken == [true, false, true, false, true])
            queue.finish(key, again: false, at: now)
            now += VariantQueue.retryInterval - .nanoseconds(1)
            taken = [isTaken()]
            now += .nanoseconds(1)
            taken.append(isTaken())
            #expect(taken == [false, true])
        }
    }

    @Test("it is bounded")
    func bound() async throws {
        try await withAssets(VariantQueue.maximumCount + 1) { assets in
            var queue = VariantQueue()
            for asset in assets { queue.add(VariantKey(asset.digest, .brotli), of: asset, .wanted, at: .zero) }
            let count = paths(&queue).count
            #expect(count == VariantQueue.maximumCount)
            for asset in assets { queue.add(VariantKey(asset.digest, .gzip), of: asset, .wanted, at: .zero) }
            queue.removeAll()
            #expect(!queue.hasJob(of: .background))
        }
    }
}
