import BundleInstall
import BundleStore
import BundleTesting
import BundleUpdate
import Foundation
import HTTPTypes
import Testing

@Suite("First installations from a feed")
struct FeedInstallationTests {
    private static let other = "https://other.example.com/feed.json"

    private func url(_ text: String = UpdaterFixture.feed) throws -> URL { try #require(URL(string: text)) }

    private func chosen(_ fixture: UpdaterFixture) throws -> ChosenFeed? {
        try fixture.store.updateState(of: UpdaterFixture.name)?.chosenFeed
    }

    @Test("the highest release of the channel is installed; the manifest's own feed isn't written down")
    func first() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory, local: nil)
            fixture.publish([("1.0.0", []), ("1.2.0", []), ("1.3.0", ["beta"]), ("2.0.0-rc.1", [])])
            let report = try await fixture.updater.install(feed: url())
            #expect(report.version.string == "1.2.0")
            #expect(fixture.active == "1.2.0")
            #expect(try chosen(fixture) == nil)
            #expect(try fixture.downloads.isEmpty)
            let again = try await fixture.updater.install(feed: url())
            #expect(again.outcome == .unchanged)
            #expect(fixture.downloadCount == 1)
        }
    }

    @Test("a feed and a channel that the manifest doesn't name are followed by later updates")
    func followed() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory, local: nil)
            fixture.publish([("1.0.0", ["beta"])], feed: Self.other)
            serveArchives(fixture, ["1.0.0", "1.1.0"])
            _ = try await fixture.updater.install(feed: url(Self.other), channel: "beta")
            #expect(try chosen(fixture) == ChosenFeed(url: Self.other, channel: "beta"))
            fixture.publish([("1.1.0", ["beta"]), ("1.2.0", [])], feed: Self.other)
            let outcomes = try await fixture.updater.updateAll()
            #expect(outcomes.count == 1)
            #expect(fixture.active == "1.1.0")
            #expect(
                !fixture.network.requests.contains { $0.authority == "get.example.com" && $0.path == "/shop/feed.json" }
            )
            // The manifest's feed ends it.
            fixture.publish([("1.1.0", [])])
            let report = try await fixture.updater.install(feed: url())
            #expect(report.warnings.count { $0.contains(Self.other) && $0.contains(UpdaterFixture.feed) } == 1)
            #expect(try chosen(fixture) == nil)
            #expect(try await fixture.updater.install(feed: url()).warnings.isEmpty)
        }
    }

    /// Serves archives beside the other feed.
    private func serveArchives(_ fixture: UpdaterFixture, _ versions: [String]) {
        for version in versions {
            fixture.network.response(
                "https://other.example.com/shop-\(version).zip",
                file: UpdaterFixture.archive(version)
            )
        }
    }

    @Test(
        "when nothing can be installed, the reason is told, and nothing is",
        arguments: [
            (["beta"], "", "offered in beta only"), ([], #""rollout": 0"#, "offered to 0% of the installations"),
            ([], #""revoked": true"#, "revoked by its publisher"), ([], #""minimumShell": "3.0""#, "needs shell 3.0"),
        ] as [([String], String, String)]
    )
    func nothing(_ channels: [String], _ members: String, _ reason: String) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory, local: nil)
            fixture.publish([("1.0.0", channels)], members: members.isEmpty ? [:] : ["1.0.0": members])
            let error = await #expect(throws: BundleError.self) { try await fixture.updater.install(feed: url()) }
            #expect(error?.code == .invalidArgument)
            #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
            #expect(fixture.store.snapshot.bundles.isEmpty)
            #expect(fixture.downloadCount == 0)
        }
    }

    @Test("an archive without a manifest has the name and the version that its feed gives it, also the first one")
    func named() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory, local: nil)
            for version in ["1.0.0", "1.1.0"] {
                fixture.publish([(version, [])]) { UpdaterFixture.archive($0, hasManifest: false) }
                let report = try await fixture.updater.install(feed: url())
                #expect((report.name, report.version.string) == (UpdaterFixture.name, version))
            }
            let manifest = fixture.store.snapshot.bundles[UpdaterFixture.name]?.current?.manifest
            #expect(manifest?.origins.isEmpty == true)
        }
    }

    @Test("an empty feed, and an archive of another version, install nothing")
    func unusable() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory, local: nil)
            fixture.publish([])
            let empty = await #expect(throws: BundleError.self) { try await fixture.updater.install(feed: url()) }
            #expect(empty?.message.contains("it offers no release") == true)
            fixture.publish([("1.0.0", [])]) { UpdaterFixture.archive($0, inner: "1.0.1") }
            let other = await #expect(throws: BundleError.self) { try await fixture.updater.install(feed: url()) }
            #expect(other?.code == .invalidFeed)
            #expect(fixture.store.snapshot.bundles.isEmpty)
        }
    }

    @Test("a bundle on hold, and one that has a higher release, stay as they are")
    func installed() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory, local: "2.0.0")
            fixture.publish([("1.0.0", [])])
            #expect(try await fixture.updater.install(feed: url()).outcome == .unchanged)
            fixture.publish([("3.0.0", [])])
            try fixture.store.setHold(true, UpdaterFixture.name)
            #expect(try await fixture.updater.install(feed: url()).outcome == .unchanged)
            try fixture.store.setHold(false, UpdaterFixture.name)
            #expect(try await fixture.updater.install(feed: url()).version.string == "3.0.0")
        }
    }

    @Test(
        "what is no feed is told by its content",
        arguments: [
            (Array("PK\u{3}\u{4}....".utf8), "is an archive"),
            (Array("<!doctype html>".utf8), "begins with “<!doctype"),
            ([], "begins with “”"), ([0xFF, 0x1B, 0x5B], "neither a feed nor an archive"),
            (Array("[1]".utf8), "neither a feed nor an archive"),
        ] as [([UInt8], String)]
    )
    func noFeed(_ content: [UInt8], _ message: String) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory, local: nil)
            fixture.network.response(UpdaterFixture.feed, file: content)
            let error = await #expect(throws: BundleError.self) { try await fixture.updater.install(feed: url()) }
            #expect(error?.code == .invalidArgument)
            #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
            #expect(error?.message.utf8.contains(0x1B) == false)
        }
    }
}
