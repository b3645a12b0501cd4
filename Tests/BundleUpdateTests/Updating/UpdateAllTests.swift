import BundleInstall
import BundleStore
import BundleTesting
import BundleUpdate
import Foundation
import HTTPCore
import HTTPTypes
import Synchronization
import Testing

@Suite("Checks and updates of several bundles")
struct UpdateAllTests {
    private static let docs = BundleName("docs")
    private static let docsFeed = "https://get.example.com/docs/feed.json"

    /// A store with `docs`, whose feed fails, `plain`, which has none, and `shop`, which 1.1.0 is published for.
    private func withBundles(fetches: Bool = true, _ body: (UpdaterFixture) async throws -> Void) async throws {
        var configuration = Updater.Configuration()
        configuration.fetches = fetches
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory, configuration: configuration)
            let feed = #""origins": [], "feed": "\#(Self.docsFeed)""#
            try fixture.store.install(try .sample("docs", "2.0.0", feed), files: ["index.html": "docs"])
            try fixture.store.install(try .sample("plain", "3.0.0", #""origins": []"#), files: ["a": "a"])
            fixture.network.response(Self.docsFeed, .notFound, [:], "")
            fixture.publish("1.1.0")
            try await body(fixture)
        }
    }

    /// One word for each result.
    private func words<Success>(_ outcomes: [FeedOutcome<Success>], _ word: (Success) -> String) -> [String] {
        outcomes.map { outcome in
            switch outcome.result {
            case .success(let result): "\(outcome.name): \(word(result))"
            case .failure(let error): "\(outcome.name): \((error as? BundleError)?.code.description ?? "other")"
            case nil: "\(outcome.name): no feed"
            }
        }
    }

    @Test("a check has an outcome for each bundle, by name, and a failure ends none but its own")
    func check() async throws {
        try await withBundles { fixture in
            var seen: [BundleName] = []
            let outcomes = try await fixture.updater.checkAll { seen.append($0.name) }
            let expected = ["docs: networkUnavailable", "plain: no feed", "shop: 1.1.0"]
            #expect(words(outcomes) { $0.available?.version.string ?? "none" } == expected)
            #expect(outcomes.map { $0.value != nil } == [false, false, true])
            #expect(outcomes.map { $0.error != nil } == [true, false, false])
            #expect(Set(seen) == Set(outcomes.map(\.name)))
            #expect(seen.count == outcomes.count)
            #expect(fixture.active == "1.0.0")
        }
    }

    @Test("an update has one too, tells what it does, and has the bundles as they were before")
    func update() async throws {
        try await withBundles { fixture in
            let reports = Mutex<[(BundleName, ByteProgress)]>([])
            let outcomes = try await fixture.updater.updateAll(
                progress: { name, progress in reports.withLock { $0.append((name, progress)) } }
            )
            let result = words(outcomes) { result in
                if case .updated(_, let report, _) = result { "\(report.version)" } else { "none" }
            }
            #expect(result == ["docs: networkUnavailable", "plain: no feed", "shop: 1.1.0"])
            #expect(outcomes.map(\.isUpdated) == [false, false, true])
            #expect(outcomes.map { $0.bundle.activeVersion?.string } == ["2.0.0", "3.0.0", "1.0.0"])
            #expect(fixture.downloadCount == 1)
            let (names, last) = reports.withLock { (Set($0.map(\.0)), $0.last?.1) }
            #expect(names == [UpdaterFixture.name])
            #expect(try #require(last).fraction > 0.5, "the archive counts twice; it is fetched and being installed")
            #expect(fixture.active == "1.1.0")
        }
    }

    @Test("without fetching, each bundle says what it would take")
    func available() async throws {
        try await withBundles(fetches: false) { fixture in
            let outcomes = try await fixture.updater.updateAll()
            let result = words(outcomes) { result in
                if case .available(let check) = result {
                    "\(check.available?.version.string ?? "none")"
                } else {
                    "none"
                }
            }
            #expect(result == ["docs: networkUnavailable", "plain: no feed", "shop: 1.1.0"])
            #expect(fixture.network.requests.allSatisfy { $0.path?.hasSuffix("feed.json") == true })
            #expect(fixture.active == "1.0.0")
        }
    }

    @Test("of named bundles only those are updated; one without a feed is a failure then, unless a feed is given")
    func named() async throws {
        try await withBundles { fixture in
            let plain = BundleName("plain")
            let shop = try #require(try await fixture.updater.updateAll([UpdaterFixture.name]).first)
            #expect(shop.name == UpdaterFixture.name)
            #expect(words(try await fixture.updater.checkAll([plain])) { _ in "" } == ["plain: invalidArgument"])
            let url = "https://get.example.com/plain/feed.json"
            fixture.network.response(url, .ok, [:], UpdaterFixture.feed("plain", []))
            let feeds = [plain: try #require(URL(string: url))]
            #expect(words(try await fixture.updater.checkAll([plain], feeds: feeds)) { _ in "ok" } == ["plain: ok"])
            #expect(words(try await fixture.updater.checkAll(feeds: feeds)) { _ in "ok" }.contains("plain: ok"))
        }
    }

    @Test("a name that no bundle has is refused before anything is asked")
    func unknown() async throws {
        try await withBundles { fixture in
            let names = [UpdaterFixture.name, BundleName("nothing")]
            let error = await #expect(throws: BundleError.self) { try await fixture.updater.updateAll(Set(names)) }
            #expect(error?.code == .notFound)
            #expect(fixture.network.requests.isEmpty)
        }
    }

    @Test("a bundle whose host hangs delays none, neither of another host nor of its own")
    func hanging() async throws {
        try await withBundles { fixture in
            let (latch, seen) = (Latch(), Monitor<[BundleName]>([]))
            fixture.network.response(Self.docsFeed) { _ in
                try await latch.wait()
                return OriginResponse(.notFound)
            }
            let updater = fixture.updater
            let update = Task {
                try await updater.updateAll(onOutcome: { outcome in seen.update { $0.append(outcome.name) } })
            }
            // Those of the other two.
            try await seen.wait { $0.count == 2 ? () : nil }
            #expect(!seen.state.contains(Self.docs))
            #expect(fixture.active == "1.1.0")
            latch.open()
            #expect(try await update.value.map(\.name.string) == ["docs", "plain", "shop"])
            #expect(seen.state.last == Self.docs)
        }
    }

    @Test("of one host four are asked at once, and other hosts meanwhile")
    func perHost() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            fixture.publish("1.1.0")
            let latch = Latch()
            for number in 1...6 {
                let url = "https://slow.example.com/\(number).json"
                let members = #""origins": [], "feed": "\#(url)""#
                try fixture.store.install(try .sample("a\(number)", "1", members), files: ["a": "a\(number)"])
                fixture.network.response(url) { _ in
                    try await latch.wait()
                    return OriginResponse(.notFound)
                }
            }
            let (updater, isThere) = (fixture.updater, Monitor(false))
            let update = Task {
                try await updater.updateAll(onOutcome: { outcome in
                    if outcome.name == UpdaterFixture.name { isThere.update { $0 = true } }
                })
            }
            try await isThere.wait { $0 ? () : nil }
            try await latch.waitForArrivals(4)
            #expect(fixture.network.requests.count { $0.authority == "slow.example.com" } == 4)
            latch.open()
            #expect(try await update.value.count == 7)
            #expect(fixture.network.requests.count { $0.authority == "slow.example.com" } == 6)
        }
    }

    @Test("bundles that wait for another host's archives don't delay those of their feed's host")
    func otherHostsArchives() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            fixture.publish("1.1.0")
            let (latch, count) = (Latch(), 20)
            for number in 1...count {
                let url = "https://get.example.com/a\(number).json"
                let members = #""origins": [], "feed": "\#(url)""#
                try fixture.store.install(try .sample("a\(number)", "1", members), files: ["a": "a\(number)"])
                let source = "https://slow.example.com/\(number).zip"
                let entry = UpdaterFixture.entry("2", size: 1, digest: Digest(of: [UInt8(number)]), source: source)
                fixture.network.response(url, .ok, [:], UpdaterFixture.feed("a\(number)", [entry]))
                fixture.network.response(source) { _ in
                    try await latch.wait()
                    return OriginResponse(.notFound)
                }
            }
            let (updater, isThere) = (fixture.updater, Monitor(false))
            let update = Task {
                try await updater.updateAll(onOutcome: { outcome in
                    if outcome.name == UpdaterFixture.name { isThere.update { $0 = true } }
                })
            }
            try await latch.waitForArrivals(4)
            try await isThere.wait { $0 ? () : nil }
            #expect(fixture.active == "1.1.0")
            #expect(fixture.network.requests.count { $0.authority == "slow.example.com" } == 4)
            latch.open()
            #expect(try await update.value.count == count + 1)
            #expect(fixture.network.requests.count { $0.authority == "slow.example.com" } == count)
        }
    }

    @Test("a cancelled task throws, and ends what is under way; what is complete remains")
    func cancelled() async throws {
        try await withBundles { fixture in
            let (updater, latch, seen) = (fixture.updater, Latch(), Monitor<[BundleName]>([]))
            fixture.network.response(UpdaterFixture.source("1.1.0")) { _ in
                try await latch.wait()
                return OriginResponse(.notFound)
            }
            let update = Task {
                try await updater.updateAll(onOutcome: { outcome in seen.update { $0.append(outcome.name) } })
            }
            try await seen.wait { $0.contains(Self.docs) ? () : nil }
            try await latch.waitForArrivals()
            update.cancel()
            await #expect(throws: CancellationError.self) { try await update.value }
            #expect(!seen.state.contains(UpdaterFixture.name))
            #expect(fixture.active == "1.0.0")
        }
    }
}
