import BundleTesting
import Foundation
import Testing

@testable import BundleStore

@Suite("What is remembered of feeds")
struct FeedMemoryTests {
    private static let url = "https://get.example.com/feed.json"
    private static let copy = FeedCopy(location: url, entityTag: "\"1\"", lastModified: nil, content: [0x7b, 0, 0x7d])

    /// Calls `body` with a store in which the feed of `shop` is kept, and has failed.
    private func withShop(_ body: (TemporaryDirectory, BundleName) throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let name = BundleName("shop")
            do {
                let store = try directory.openStore()
                try store.install(try .sample(), files: ["a": "a"])
                try store.keep(Self.copy, of: name, feed: Self.url)
                let date = TestClock().date
                let retry = FetchRetry(failureCount: 3, failedAt: date, nextAt: date + 60)
                try store.record(retry, of: name, .feed(Self.url))
            }
            try body(directory, name)
        }
    }

    @Test("a feed and its pause are there in a later process, for their URL alone, until they are dropped")
    func kept() async throws {
        try await withShop { directory, name in
            let store = try directory.openStore()
            #expect(try store.feedCopy(of: name, feed: Self.url) == Self.copy)
            #expect(try store.feedCopy(of: name, feed: Self.url + "?") == nil)
            #expect(try store.retry(of: name, .feed(Self.url))?.failureCount == 3)
            #expect(try store.retry(of: name, .feed(Self.url + "?")) == nil)
            try store.keep(nil, of: name, feed: Self.url)
            try store.record(nil, of: name, .feed(Self.url))
            #expect(try store.feedCopy(of: name, feed: Self.url) == nil)
            #expect(try store.retry(of: name, .feed(Self.url)) == nil)
        }
    }

    @Test("a publisher's pause may take longer than one after a failure, up to seven days", arguments: [0, 1])
    func poll(failures: Int) async throws {
        try await withShop { directory, name in
            let store = try directory.openStore()
            let week = FetchRetry(failureCount: failures, failedAt: store.now(), nextAt: store.now() + 7 * 86_400 - 1)
            try store.record(week, of: name, .feed(Self.url))
            #expect(try store.retry(of: name, .feed(Self.url))?.hasFailed == (failures == 0 ? false : nil))
        }
    }

    @Test("they go with their bundle, and one feed of a bundle is remembered")
    func removed() async throws {
        try await withShop { directory, name in
            let store = try directory.openStore()
            try store.keep(Self.copy, of: name, feed: "https://other.example.com/")
            #expect(try store.feedCopy(of: name, feed: Self.url) == nil)
            _ = try store.remove(name, nil)
            try store.install(try .sample(), files: ["a": "a"])
            #expect(try store.feedCopy(of: name, feed: "https://other.example.com/") == nil)
            #expect(try store.retry(of: name, .feed(Self.url)) == nil)
        }
    }

    @Test("the failures of four files of a bundle are remembered, the latest, and none replaces another")
    func severalFailures() async throws {
        try await withShop { directory, name in
            let store = try directory.openStore()
            let date = Date(timeIntervalSince1970: store.now().timeIntervalSince1970.rounded())
            for number in 1...6 {
                let retry = FetchRetry(failureCount: number, failedAt: date + Double(number), nextAt: date + 60)
                try store.record(retry, of: name, .release(Digest(of: [UInt8(number)])))
            }
            let counts = try (1...6).map { try store.retry(of: name, .release(Digest(of: [$0])))?.failureCount }
            #expect(counts == [nil, nil, 3, 4, 5, 6])
        }
    }

    @Test(
        "what can't be read counts as none",
        arguments: [
            "UPDATE feedCopy SET content = x'7b7d'", "UPDATE feedCopy SET digest = 'x'",
            "UPDATE feedCopy SET location = 7", "UPDATE feedCopy SET content = 1.5",
            "UPDATE feedRetry SET nextAt = 1e15", "UPDATE feedRetry SET nextAt = 'x'",
            "UPDATE feedRetry SET failedAt = 1e15, nextAt = 1e15", "UPDATE feedRetry SET failureCount = -1",
            "UPDATE feedRetry SET failureCount = 0, nextAt = failedAt + 604801",
        ]
    )
    func damaged(_ sql: String) async throws {
        try await withShop { directory, name in
            try directory.changeCatalog(sql)
            let store = try directory.openStore()
            let isCopy = sql.contains("feedCopy")
            #expect((try store.feedCopy(of: name, feed: Self.url) == nil) == isCopy)
            #expect((try store.retry(of: name, .feed(Self.url)) == nil) == !isCopy)
        }
    }
}
