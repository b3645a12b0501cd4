import BundleInstall
import BundleNetwork
import BundleServing
import BundleStore
import BundleTar
import BundleTesting
import Foundation
import HTTPTypes
import ServiceLifecycle
import Testing

@testable import BundleServer
@testable import BundleUpdate

@Suite("UpdateService")
struct UpdateServiceTests {
    private static let feedURL = "https://m.example.com/feed.json"

    private let clock = TestClock()

    @Test("each round reads the feeds of all bundles that have one, and a failure doesn't end it")
    func rounds() async throws {
        try await withStore(now: clock.read) { store in
            try store.installShop(feed: Self.feedURL)
            try store.install(#"{"name": "other", "version": "1", "origins": []}"#, ["a.txt": "a"])
            let feeds = ScriptedFeeds()
            let log = RecordedLog()
            try await withScheduler(store, feeds, log, clock) {
                try await clock.waitForSleeps(1)
                #expect(feeds.requested.isEmpty)
                try await clock.step(by: .seconds(1), untilSleeping: 2)
                #expect(feeds.requested == ["/feed.json"])
                #expect(log.lines.count == 1)
                #expect(log.lines.first?.hasPrefix("warning: shop was not updated: ") == true)
                feeds.set("/feed.json", Array(#"{"name": "shop", "versions": []}"#.utf8))
                try await clock.step(by: .seconds(60), untilSleeping: 2)
                #expect(feeds.requested == ["/feed.json"], "it has failed a minute ago")
                try await clock.step(by: .seconds(300), untilSleeping: 2)
                #expect(feeds.requested == ["/feed.json", "/feed.json"])
                #expect(log.lines.dropFirst() == ["notice: shop can be updated again"])
            }
        }
    }

    @Test("each pause is a random one", arguments: [0.9, 1.1])
    func jitter(_ factor: Double) async throws {
        try await withStore(now: clock.read) { store in
            try store.installShop(feed: Self.feedURL)
            let feeds = ScriptedFeeds()
            feeds.set("/feed.json", Array(#"{"name": "shop", "versions": []}"#.utf8))
            let pace = CheckPace(every: .seconds(100)) { $0.contains(1) ? factor : $0.upperBound }
            try await withScheduler(store, feeds, RecordedLog(), clock, pace: pace) {
                try await clock.waitForSleeps(1)
                clock.advance(by: .seconds(9))
                #expect(feeds.requested.isEmpty)
                try await clock.step(by: .seconds(2), untilSleeping: 2)
                #expect(feeds.requested.count == 1)
                clock.advance(by: .seconds(100 * factor - 1))
                // After 100 s it has looked for new bundles.
                try await clock.waitForSleeps(factor > 1 ? 4 : 3)
                #expect(feeds.requested.count == 1)
                try await clock.step(by: .seconds(2))
                #expect(feeds.requested.count == 2)
            }
        }
    }

    @Test("a bundle whose host doesn't respond delays no other's next check, and isn't checked twice at once")
    func hanging() async throws {
        try await withStore(now: clock.read) { store in
            try store.installShop(feed: Self.feedURL)
            let slow = #"{"name": "slow", "version": "1", "origins": [], "feed": "https://slow.example.com/slow.json"}"#
            try store.install(slow, ["a.txt": "a"])
            let feeds = ScriptedFeeds()
            feeds.set("/feed.json", Array(#"{"name": "shop", "versions": []}"#.utf8))
            feeds.hang("/slow.json")
            let log = RecordedLog()
            try await withScheduler(store, feeds, log, clock) {
                for round in 1...4 {
                    try await clock.step(by: .seconds(round == 1 ? 1 : 60), untilSleeping: 2)
                    #expect(feeds.requested.count { $0 == "/feed.json" } == round)
                }
                try await feeds.waitForRequest("/slow.json")
                #expect(feeds.requested.count { $0 == "/slow.json" } == 1)
                feeds.publishUpdate()
                try await clock.step(by: .seconds(60), untilSleeping: 2)
                #expect(log.lines == ["info: updated shop: 1.0.0 to 1.1.0"])
            }
        }
    }

    @Test("a bundle that is installed later is followed too, and one that is removed isn't any more")
    func comingAndGoing() async throws {
        try await withStore(now: clock.read) { store in
            let feeds = ScriptedFeeds()
            feeds.set("/feed.json", Array(#"{"name": "shop", "versions": []}"#.utf8))
            try await withScheduler(store, feeds, RecordedLog(), clock) {
                try await clock.step(by: .seconds(1))
                try store.installShop(feed: Self.feedURL)
                try await clock.step(by: .seconds(60), untilSleeping: 2)
                #expect(feeds.requested.count == 1)
                try store.remove(BundleName("shop"), nil)
                // The one that followed it ends.
                for _ in 1...2 { try await clock.step(by: .seconds(60), untilSleeping: 1) }
                #expect(feeds.requested.count == 1)
            }
        }
    }

    @Test(
        "versions kept because the store was busy are removed in a later round, even without an update"
    )
    func delayedPruning() async throws {
        try await withStore(now: clock.read) { store in
            try store.installShop("0.9.0", feed: Self.feedURL, script: "oldest()")
            try store.installShop("1.0.0", feed: Self.feedURL, script: "old()")
            let feeds = ScriptedFeeds()
            feeds.publishUpdate()
            let log = RecordedLog()
            try await withScheduler(store, feeds, log, clock) {
                try await clock.waitForSleeps(1)
                // A response that is being stored keeps the store from being pruned.
                var writer: CachedBodyWriter? = store.beginCachedBody()
                try writer?.append([UInt8](repeating: 1, count: CachedBodyWriter.memoryByteCount + 1))
                try await clock.step(by: .seconds(1), untilSleeping: 2)
                #expect(log.lines == ["info: updated shop: 1.0.0 to 1.1.0"])
                #expect(store.snapshot.bundles.values.first?.releases.count == 3)
                try #require(writer).append([1])
                writer = nil
                try await clock.step(by: .seconds(60), untilSleeping: 2)
                #expect(store.snapshot.bundles.values.first?.releases.count == 2)
                let removal = "info: removed shop@0.9.0: more earlier versions than the limit says"
                #expect(log.lines.dropFirst() == [removal])
            }
        }
    }

    @Test("the reason why unneeded files are kept is logged")
    func keptFiles() async throws {
        try await withStore(now: clock.read) { store in
            try store.install(#"{"name": "docs", "version": "1.0.0", "origins": []}"#, ["index.html": "docs"])
            let indexes = store.path + "/indexes"
            for file in try FileManager.default.contentsOfDirectory(atPath: indexes) {
                try FileManager.default.removeItem(atPath: "\(indexes)/\(file)")
            }
            try store.installShop("0.9.0", feed: Self.feedURL, script: "oldest()")
            try store.installShop("1.0.0", feed: Self.feedURL, script: "old()")
            let feeds = ScriptedFeeds()
            feeds.publishUpdate()
            let log = RecordedLog()
            try await withScheduler(store, feeds, log, clock) {
                try await clock.step(by: .seconds(1), untilSleeping: 2)
                #expect(log.lines.count == 3)
                let warning = "warning: segments and indexes that no version is known to need"
                #expect(log.lines.last?.hasPrefix(warning) == true)
            }
        }
    }

    @Test("a store that was replaced is neither checked for updates nor changed")
    func replacedStore() async throws {
        try await withTemporaryDirectory { folder in
            let store = try BundleStore(at: folder.path(of: "store"), creating: true)
            try store.installShop("1.0.0", feed: Self.feedURL)
            let feeds = ScriptedFeeds()
            feeds.publishUpdate()
            let log = RecordedLog()
            try await withScheduler(store, feeds, log, clock) {
                try FileManager.default.moveItem(atPath: store.path, toPath: folder.path(of: "moved"))
                let other = try BundleStore(at: store.path, creating: true)
                try other.installShop("1.0.0", feed: Self.feedURL)
                try await clock.step(by: .seconds(1))
                #expect(feeds.requested.isEmpty)
                #expect(log.lines.count == 1)
                #expect(log.lines.first?.contains("was replaced or removed while it was in use") == true)
                try other.refresh()
                #expect(other.snapshot.bundles.values.first?.releases.count == 1)
            }
        }
    }

    @Test("an archive that is none is downloaded once, and another one at the next check")
    func finalRefusal() async throws {
        try await withStore(now: clock.read) { store in
            try store.installShop(feed: Self.feedURL)
            let feeds = ScriptedFeeds()
            feeds.offer(Array("no archive".utf8))
            let log = RecordedLog()
            try await withScheduler(store, feeds, log, clock) {
                try await clock.step(by: .seconds(1), untilSleeping: 2)
                let reason = try #require(try store.shopFailure)
                let warning = "warning: shop was not updated: \(reason); this archive isn't downloaded again"
                #expect(log.lines == [warning])
                for _ in 1...2 {
                    try await clock.step(by: .seconds(100_000), untilSleeping: 2)
                    #expect(feeds.downloads == 1)
                    #expect(log.lines.count == 1)
                    #expect(try store.shopFailure == reason)
                }
                feeds.publishUpdate()
                try await clock.step(by: .seconds(60), untilSleeping: 2)
                #expect(log.lines.last == "info: updated shop: 1.0.0 to 1.1.0")
                #expect(try store.shopFailure == nil)
            }
        }
    }

    @Test("an archive that can't be used now is tried after pauses that grow, and another one at the next check")
    func refusal() async throws {
        try await withStore(now: clock.read) { store in
            try store.installShop(feed: Self.feedURL)
            let docs = #"{"name": "docs", "version": "1", "origins": [{"url": "https://docs.test/", "path": "/"}]}"#
            try store.install(docs, ["a.txt": "a"])
            let feeds = ScriptedFeeds()
            feeds.publishUpdate(claiming: "https://docs.test/one/")
            let log = RecordedLog()
            try await withScheduler(store, feeds, log, clock) {
                try await clock.step(by: .seconds(1), untilSleeping: 2)
                #expect(feeds.downloads == 1)
                let reason = try #require(try store.shopFailure)
                // Each pause is shortened at random by up to a half.
                let pauses: [(Duration, downloads: Int)] = [
                    (.seconds(60), 1), (.seconds(1_700), 1), (.seconds(1_840), 2), (.seconds(3_500), 2),
                    (.seconds(3_700), 3),
                ]
                for (pause, downloads) in pauses {
                    try await clock.step(by: pause, untilSleeping: 2)
                    #expect(feeds.downloads == downloads)
                    // A repeated failure is logged once.
                    #expect(log.lines.count == 1)
                    #expect(log.lines.last?.hasPrefix("warning: shop was not updated: \(reason); ") == true)
                    #expect(log.lines.last?.contains(" min, an update by hand does") == true)
                    #expect(try store.shopFailure == reason)
                }
                #expect(feeds.requested.count { $0 == "/feed.json" } == 6)
                feeds.publishUpdate(claiming: "https://docs.test/two/")
                try await clock.step(by: .seconds(60), untilSleeping: 2)
                #expect(feeds.downloads == 4)
                feeds.publishUpdate()
                try await clock.step(by: .seconds(60), untilSleeping: 2)
                #expect(log.lines.last == "info: updated shop: 1.0.0 to 1.1.0")
                #expect(try store.shopFailure == nil)
            }
        }
    }

    @Test(
        "an archive that couldn't be fetched is retried after a pause, and one for which there is no space yet at each check"
    )
    func retries() async throws {
        try await withStore(now: clock.read) { store in
            try store.installShop(feed: Self.feedURL)
            let feeds = ScriptedFeeds()
            feeds.publishUpdate()
            feeds.remove("/shop.tar")
            let log = RecordedLog()
            try await withScheduler(store, feeds, log, clock) {
                try await clock.step(by: .seconds(1), untilSleeping: 2)
                #expect(feeds.downloads == 1)
                try await clock.step(by: .seconds(300), untilSleeping: 2)
                #expect(feeds.downloads == 2)
                #expect(log.lines.count == 1)
                #expect(log.lines.allSatisfy { !$0.contains("again for") })
                try store.setQuota(1)
                try await clock.step(by: .seconds(600), untilSleeping: 2)
                #expect(feeds.downloads == 2)
                #expect(log.lines.last?.contains("nothing was fetched") == true)
                #expect(log.lines.last?.contains("again for") == false)
                try store.setQuota(nil)
                feeds.publishUpdate()
                try await clock.step(by: .seconds(60), untilSleeping: 2)
                // So is its end, and another reason is another failure.
                let end = ["notice: shop can be updated again", "info: updated shop: 1.0.0 to 1.1.0"]
                #expect(log.lines.suffix(2) == end)
                #expect(log.lines.count == 4)
            }
        }
    }

    @Test("a higher version is installed, and versions before the previous one are removed")
    func update() async throws {
        try await withStore(now: clock.read) { store in
            try store.installShop("0.9.0", feed: Self.feedURL, script: "oldest()")
            try store.installShop("1.0.0", feed: Self.feedURL, script: "old()")
            let feeds = ScriptedFeeds()
            feeds.publishUpdate()
            let log = RecordedLog()
            try await withScheduler(store, feeds, log, clock) {
                try await clock.step(by: .seconds(1), untilSleeping: 2)
                #expect(
                    log.lines == [
                        "info: updated shop: 1.0.0 to 1.1.0",
                        "info: removed shop@0.9.0: more earlier versions than the limit says",
                    ]
                )
                let bundle = store.snapshot.bundles.values.first
                #expect(bundle?.releases.map(\.version.string).sorted() == ["1.0.0", "1.1.0"])
                #expect(bundle?.active?.version.string == "1.1.0")
            }
        }
    }
}

private func withScheduler(
    _ store: BundleStore,
    _ feeds: ScriptedFeeds,
    _ log: RecordedLog,
    _ clock: TestClock,
    pace: CheckPace = CheckPace(every: .seconds(60)) { $0.contains(1) ? 1 : 0.01 },
    _ body: () async throws -> Void
) async throws {
    let installer = Installer(store, formats: .zipAndTar)
    var configuration = Updater.Configuration()
    configuration.isScheduled = true
    let scheduler = UpdateService(
        store,
        updater: Updater(store, installer: installer, transport: feeds, configuration: configuration),
        pace: pace,
        clock: clock,
        logger: log.logger
    )
    let group = ServiceGroup(configuration: .init(services: [scheduler], logger: log.logger))
    let running = Task { try await group.run() }
    do {
        try await body()
    } catch {
        running.cancel()
        throw error
    }
    await group.triggerGracefulShutdown()
    try await running.value
}

extension BundleStore {
    /// Why the last check of the shop's feed brought no update.
    fileprivate var shopFailure: String? {
        get throws { try updateState(of: "shop")?.lastFailure }
    }
}
