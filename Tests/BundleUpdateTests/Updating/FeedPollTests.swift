import BundleInstall
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@testable import BundleUpdate

@Suite("A publisher that wants to be asked less")
struct FeedPollTests {
    private static let scheduled: Updater.Configuration = {
        var configuration = Updater.Configuration()
        configuration.isScheduled = true
        return configuration
    }()

    /// Calls `body` with an installation that asks by a clock, and with one that a person asks.
    private func withShop(_ body: (UpdaterFixture, _ byHand: Updater) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory, configuration: Self.scheduled)
            let byHand = Updater(fixture.store, installer: Installer(fixture.store), transport: fixture.network)
            try await body(fixture, byHand)
        }
    }

    private func publish(_ version: String, poll: Int64?, _ fixture: UpdaterFixture) {
        let archive = fixture.publish(version)
        let entry = UpdaterFixture.entry(version, size: archive.count, digest: Digest(of: archive))
        let feed = UpdaterFixture.feed("shop", [entry])
        let text = poll.map { "{\"poll\": \($0), \(feed.dropFirst())" } ?? feed
        fixture.network.response(UpdaterFixture.feed, .ok, [:], text)
    }

    private func feedCount(_ fixture: UpdaterFixture) -> Int {
        fixture.network.requests.count { $0.path?.hasSuffix("feed.json") == true }
    }

    @Test("a clock waits, up to a tenth less, and a person doesn't; nothing of it is a failure")
    func wait() async throws {
        try await withShop { fixture, byHand in
            publish("1.0.0", poll: 1_000, fixture)
            _ = try await fixture.updater.update(UpdaterFixture.name)
            let due = fixture.clock.date + 900
            fixture.clock.advance(by: .seconds(899))
            await #expect(throws: UpdatePostponement.notDue(until: due)) {
                try await fixture.updater.update(UpdaterFixture.name)
            }
            await #expect(throws: UpdatePostponement.self) { try await fixture.updater.check(UpdaterFixture.name) }
            #expect(feedCount(fixture) == 1)
            #expect(try fixture.store.updateState(of: UpdaterFixture.name)?.lastFailure == nil)
            _ = try await byHand.check(UpdaterFixture.name)
            #expect(feedCount(fixture) == 2)
            // That was a check too.
            fixture.clock.advance(by: .seconds(899))
            await #expect(throws: UpdatePostponement.self) { try await fixture.updater.update(UpdaterFixture.name) }
            fixture.clock.advance(by: .seconds(1))
            _ = try await fixture.updater.update(UpdaterFixture.name)
            #expect(feedCount(fixture) == 3)
        }
    }

    @Test("it waits after an update too, and what a check has found is installed by the next update")
    func found() async throws {
        try await withShop { fixture, _ in
            publish("1.1.0", poll: 1_000, fixture)
            #expect(try await fixture.updater.check(UpdaterFixture.name).available != nil)
            _ = try await fixture.updater.update(UpdaterFixture.name)
            #expect(fixture.active == "1.1.0")
            await #expect(throws: UpdatePostponement.self) { try await fixture.updater.update(UpdaterFixture.name) }
            #expect(feedCount(fixture) == 2)
        }
    }

    @Test("a release that couldn't be fetched doesn't wait for the publisher's time")
    func broken() async throws {
        try await withShop { fixture, _ in
            publish("1.1.0", poll: Feed.maximumPoll, fixture)
            fixture.network.response(UpdaterFixture.source("1.1.0"), .serviceUnavailable, [:], "")
            await #expect(throws: BundleError.self) { try await fixture.updater.update(UpdaterFixture.name) }
            publish("1.1.0", poll: Feed.maximumPoll, fixture)
            fixture.clock.advance(by: .seconds(3_600))
            _ = try await fixture.updater.update(UpdaterFixture.name)
            #expect(fixture.active == "1.1.0")
        }
    }

    @Test("the wait ends with a feed without, and doesn't hold for another feed, nor after a clock was set back")
    func ended() async throws {
        try await withShop { fixture, byHand in
            publish("1.0.0", poll: Feed.maximumPoll, fixture)
            _ = try await fixture.updater.update(UpdaterFixture.name)
            publish("1.0.0", poll: nil, fixture)
            await #expect(throws: UpdatePostponement.self) { try await fixture.updater.update(UpdaterFixture.name) }
            _ = try await byHand.check(UpdaterFixture.name)
            _ = try await fixture.updater.update(UpdaterFixture.name)
            publish("1.0.0", poll: Feed.maximumPoll, fixture)
            _ = try await fixture.updater.update(UpdaterFixture.name)
            let other = "https://other.example.com/feed.json"
            fixture.network.response(other, .ok, [:], UpdaterFixture.feed("shop", []))
            _ = try await fixture.updater.check(UpdaterFixture.name, feed: URL(string: other))
            await #expect(throws: UpdatePostponement.self) { try await fixture.updater.update(UpdaterFixture.name) }
            fixture.clock.advance(by: .seconds(-1_000_000))
            _ = try await fixture.updater.update(UpdaterFixture.name)
        }
    }

    @Test("an older feed than one seen slows nobody")
    func older() async throws {
        try await withShop { fixture, _ in
            fixture.publish([("1.0.0", [])], sequence: 7)
            _ = try await fixture.updater.update(UpdaterFixture.name)
            publish("1.0.0", poll: Feed.maximumPoll, fixture)
            for _ in 1...2 {
                #expect(try await fixture.updater.update(UpdaterFixture.name).check.decision.feedRejection != nil)
            }
            #expect(feedCount(fixture) == 3)
        }
    }
}
