import BundleStore
import BundleTesting
import Foundation
import GRDB
import Testing

@testable import BundleStore

@Suite("The state of the network in the store")
struct NetworkStateTests {
    private func withShop(_ body: (BundleStore, TestClock, TemporaryDirectory) throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let clock = TestClock()
            let store = try BundleStore(at: directory.path(of: "store"), creating: true, now: clock.read)
            for version in ["1", "2"] { try store.install(.sample("shop", version), files: ["index.html": version]) }
            try body(store, clock, directory)
        }
    }

    private let shop = BundleName("shop")

    @Test("what is said of the link outlives the process, and other processes see that the store has changed")
    func metered() async throws {
        try await withShop { store, _, _ in
            #expect(try store.meteredSetting() == nil)
            for setting in [true, false, nil] {
                let other = try BundleStore(at: store.path)
                let generation = try other.catalog.generation()
                try store.setMetered(setting)
                #expect(try other.meteredSetting() == setting)
                #expect(try other.catalog.generation() > generation)
                #expect(try BundleStore(at: store.path).meteredSetting() == setting)
            }
        }
    }

    @Test("a value that isn't 0 or 1 says nothing of the link", arguments: ["2", "'on'", "x'01'", "0.5"])
    func damaged(_ value: String) async throws {
        try await withShop { store, _, _ in
            try store.setMetered(true)
            try store.catalog.connection.write { try $0.execute(sql: "UPDATE link SET isMetered = \(value)") }
            #expect(try store.meteredSetting() == nil)
        }
    }

    @Test("attempts to fetch ahead are kept for each version, and go with it")
    func attempts() async throws {
        try await withShop { store, clock, _ in
            let url = "https://m.example.com/shop/a"
            let versions = ["1", "2"].compactMap { BundleVersion($0) }
            let failed = PrecacheAttempt(at: clock.date, failureCount: 2, failure: "why", next: clock.date + 60)
            for version in versions { try store.recordPrecache([url: failed], of: shop, version) }
            let done = PrecacheAttempt(at: clock.date, next: nil)
            try store.recordPrecache([url: done], of: shop, versions[1])
            let reopened = try BundleStore(at: store.path, now: clock.read)
            #expect(try reopened.precacheAttempts(of: shop, versions[0]) == [url: failed])
            #expect(try reopened.precacheAttempts(of: shop, versions[1]) == [url: done])
            _ = try store.remove(shop, versions[0])
            #expect(try store.precacheAttempts(of: shop, versions[0]) == [:])
            try store.recordPrecache([url: failed], of: shop, versions[0])
            #expect(try store.precacheAttempts(of: shop, versions[0]) == [:])
            #expect(try store.precacheAttempts(of: shop, versions[1]).count == 1)
        }
    }

    @Test("an attempt in the future was written by a wrong clock, and counts as none")
    func wrongClock() async throws {
        try await withShop { store, clock, _ in
            let version = BundleVersion("2")
            let later = clock.date + 400 * 86_400
            let attempts = [
                "a": PrecacheAttempt(at: later, next: nil), "b": PrecacheAttempt(at: clock.date, next: later),
            ]
            try store.recordPrecache(attempts, of: shop, version)
            let read = try store.precacheAttempts(of: shop, version)
            #expect(read.keys.sorted() == ["b"])
            #expect(try #require(read["b"]?.nextDate) <= clock.date + 25 * 3_600)
        }
    }

    @Test("clearing the cache lets everything be fetched ahead again")
    func cleared() async throws {
        try await withShop { store, clock, _ in
            let version = BundleVersion("2")
            try store.recordPrecache(["a": PrecacheAttempt(at: clock.date, next: nil)], of: shop, version)
            try store.clearCache(of: BundleName("news"))
            #expect(try store.precacheAttempts(of: shop, version).count == 1)
            try store.clearCache()
            #expect(try store.precacheAttempts(of: shop, version).isEmpty)
        }
    }

    @Test("of the origins' states the latest 256 are kept")
    func origins() async throws {
        try await withShop { store, clock, _ in
            var state = OriginState("https://0.example")
            state.circuit = .open
            (state.failure, state.failedAt, state.nextTry) = ("no route to it", clock.date, clock.date + 1)
            (state.responseCount, state.failureCount, state.recent) = (3, 1, [200, 404, 304, 0])
            try store.recordOriginStates([state])
            let read = try store.originStates()
            #expect(read.map(\.state) == [state])
            #expect(read.map(\.notedAt) == [clock.date])
            clock.advance(by: .seconds(1))
            try store.recordOriginStates((1...256).map { OriginState("https://\($0).example") })
            #expect(try store.originStates().count == 256)
            #expect(try !store.originStates().contains { $0.state.origin == "https://0.example" })
        }
    }

    @Test("the store tells whether an endpoint serves it")
    func served() async throws {
        try await withShop { store, _, _ in
            #expect(store.isBeingServed == false)
            let (first, second) = (store.lockServing(), store.lockServing())
            #expect(first != nil && second != nil)
            #expect(store.isBeingServed == true)
            withExtendedLifetime((first, second)) {}
        }
    }

    @Test("only one process fetches ahead for a bundle")
    func lock() async throws {
        try await withShop { store, _, _ in
            let news: BundleName = "news"
            let lock = store.lockPrecache(of: shop)
            #expect(lock != nil)
            #expect(store.lockPrecache(of: shop) == nil)
            #expect(store.lockPrecache(of: news) != nil)
            withExtendedLifetime(lock) {}
        }
    }
}
