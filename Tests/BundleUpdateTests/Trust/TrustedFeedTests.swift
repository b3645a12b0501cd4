import BundleInstall
import BundleStore
import BundleTesting
import BundleTrust
import Foundation
import HTTPCore
import HTTPTypes
import Testing

@testable import BundleUpdate

@Suite("Signed feeds")
struct TrustedFeedTests {
    @Test("a feed that says that it is signed is trusted by the root that is there, and the installation says so")
    func firstUse() async throws {
        try await TrustFixture.using(isInstalled: false) { fixture in
            let report = try await fixture.client.updater.install(feed: fixture.feed)
            #expect(fixture.client.page == "1.0.0")
            #expect(report.warnings.contains { $0.contains(fixture.signer.anchor.hex) })
            let anchor = try fixture.anchor
            #expect(anchor?.digest == fixture.signer.anchor)
            #expect(anchor?.isPinned == true)
        }
    }

    @Test("a bundle that has been installed before is trusted once something signed is installed, and not by a check")
    func firstUpdate() async throws {
        try await TrustFixture.using(isInstalled: false) { fixture in
            try fixture.client.install("0.9.0")
            let check = try await fixture.client.updater.check(UpdaterFixture.name)
            #expect(check.available?.version.string == "1.0.0")
            #expect(check.root == fixture.signer.anchor)
            #expect(check.isPinnedLater)
            #expect(try fixture.anchor == nil)
            _ = try await fixture.client.updater.update(UpdaterFixture.name)
            #expect(try fixture.anchor?.digest == fixture.signer.anchor)
            #expect(try await !fixture.client.updater.check(UpdaterFixture.name).isPinnedLater)
            let events = try fixture.client.store.history(of: UpdaterFixture.name)
            #expect(events.count { $0.detail?.contains(fixture.signer.anchor.hex) == true } == 1)
        }
    }

    @Test(
        "a signed feed in place of an unsigned one, of which nothing is installed, doesn't end updates",
        arguments: [true, false]
    )
    func passingFeed(isUpdate: Bool) async throws {
        try await TrustFixture.using(isInstalled: false) { fixture in
            try fixture.client.install("1.0.0")
            let updater = fixture.client.updater
            if isUpdate {
                guard case .upToDate = try await updater.update(UpdaterFixture.name) else {
                    throw BundleError(.invalidFeed, "there is an update")
                }
            } else {
                _ = try await updater.check(UpdaterFixture.name)
            }
            #expect(try fixture.anchor == nil)
            try fixture.signer.publisher.publish("1.1.0", DeliveryFixture.new)
            fixture.signer.serve("feed.json", try fixture.signer.directory.read("www/feed.json"))
            #expect(await fixture.client.failure() == nil)
            #expect(fixture.client.page == "1.1.0")
        }
    }

    @Test("a feed that an operator names for one check isn't trusted by that, and by an update it is")
    func namedFeed() async throws {
        try await TrustFixture.using(isInstalled: false) { fixture in
            try fixture.client.install("0.9.0", members: #""origins": []"#)
            _ = try await fixture.client.updater.check(UpdaterFixture.name, feed: fixture.feed)
            #expect(try fixture.anchor == nil)
            _ = try await fixture.client.updater.update(UpdaterFixture.name, feed: fixture.feed)
            #expect(try fixture.anchor?.digest == fixture.signer.anchor)
        }
    }

    @Test("a root that is given by its digest is no first use, and no other root is taken", arguments: [true, false])
    func givenRoot(isRight: Bool) async throws {
        try await TrustFixture.using(isInstalled: false) { fixture in
            let digest = isRight ? fixture.signer.anchor : Digest(of: [0])
            do {
                let report = try await fixture.client.updater.install(feed: fixture.feed, root: digest)
                #expect(isRight)
                #expect(!report.warnings.contains { $0.contains(digest.hex) })
            } catch let error as BundleError {
                #expect(!isRight)
                #expect((error.cause as? TrustError)?.code == .wrongAnchor)
            }
            #expect(try fixture.anchor?.digest == (isRight ? digest : nil))
            #expect(try fixture.anchor?.isPinned == (isRight ? false : nil))
            #expect(fixture.client.page == (isRight ? "1.0.0" : nil))
        }
    }

    @Test("where there is no news, a check costs two requests, and the feed isn't fetched")
    func noNews() async throws {
        try await TrustFixture.using { fixture in
            _ = try await fixture.client.updater.check(UpdaterFixture.name)
            let count = fixture.client.network.requests.count
            _ = try await fixture.client.updater.update(UpdaterFixture.name)
            #expect(fixture.signer.publisher.requests.dropFirst(count) == ["2.root.json", "timestamp.json"])
        }
    }

    @Test("an update fetches what is new in order, and installs what the release key vouches for")
    func news() async throws {
        try await TrustFixture.using { fixture in
            let count = fixture.client.network.requests.count
            try fixture.signer.publish("1.1.0", DeliveryFixture.new)
            let result = try await fixture.client.updater.update(UpdaterFixture.name)
            #expect(result.updatedName == UpdaterFixture.name)
            #expect(fixture.client.page == "1.1.0")
            #expect(
                fixture.signer.publisher.requests.dropFirst(count) == [
                    "2.root.json", "timestamp.json", "2.snapshot.json", "2.targets.json", "2.feed.json",
                    fixture.signer.feedCopyName,
                    DeliveryFixture.patch,
                ]
            )
        }
    }

    @Test("a feed's file that a cache has from before doesn't matter, and without the copy that has its digest it does")
    func cachedFeed() async throws {
        try await TrustFixture.using { fixture in
            let base = PublisherFixture.base
            let before = try fixture.signer.feed
            try fixture.signer.publish("1.1.0", DeliveryFixture.new)
            fixture.client.network.response(base + "feed.json", file: before)
            let copy = base + fixture.signer.feedCopyName
            let bytes = try fixture.signer.feed
            fixture.client.network.response(copy, .notFound, [:], "")
            #expect(await fixture.refusal() == .contentMismatch)
            fixture.client.network.response(copy, file: bytes)
            #expect(await fixture.client.failure() == nil)
            #expect(fixture.client.page == "1.1.0")
        }
    }

    @Test("a timestamp that has expired is replaced by one of the same version that lives on, as a stick has it")
    func longerLife() async throws {
        try await TrustFixture.using { fixture in
            fixture.client.clock.advance(by: .seconds(40 * 86_400))
            #expect(await fixture.refusal() == .expired)
            fixture.signer.onlineVersion -= 1
            fixture.signer.onlineExpiry = "2026-05-01T00:00:00Z"
            try fixture.signer.signOnline()
            for _ in 0..<2 { #expect(await fixture.client.failure() == nil) }
            let report = try #require(try TrustReport(of: UpdaterFixture.name, in: fixture.client.store))
            let timestamp = report.roles.first { $0.name == "timestamp" }
            #expect(timestamp?.version == 1)
            #expect(timestamp?.expires == Date(timeIntervalSince1970: 1_777_593_600))
            try fixture.signer.publish("1.1.0", DeliveryFixture.new)
            #expect(await fixture.client.failure() == nil)
            #expect(fixture.client.page == "1.1.0")
        }
    }

    @Test("all keys are replaced without the device's doing, and the old ones count no more")
    func rotation() async throws {
        try await TrustFixture.using { fixture in
            let old = fixture.signer
            let earlier = [fixture.signer.rootKey]
            fixture.signer.rootKey = SigningKey(11)
            fixture.signer.releaseKey = SigningKey(12)
            fixture.signer.onlineKey = SigningKey(13)
            try fixture.signer.signRoot(alsoBy: earlier)
            // After a fast-forward attack the versions begin again.
            fixture.signer.onlineVersion = 0
            try fixture.signer.publish("1.1.0", DeliveryFixture.new)
            #expect(await fixture.client.failure() == nil)
            #expect(fixture.client.page == "1.1.0")
            #expect(try fixture.anchor?.digest == old.anchor)
            var thief = old
            thief.onlineVersion = 100
            try thief.signRelease(old.targets)
            try thief.signOnline()
            #expect(await fixture.refusal() == .tooFewSignatures)
            #expect(fixture.client.page == "1.1.0")
        }
    }

    @Test("a feed that is replaced while it is read is read once more")
    func published() async throws {
        try await TrustFixture.using { fixture in
            let before = try fixture.signer.directory.read("signed/timestamp.json")
            let copy = fixture.signer.feedCopyName
            try fixture.signer.publish("1.1.0", DeliveryFixture.new)
            let after = try fixture.signer.directory.read("signed/timestamp.json")
            // The kept feed would be taken without a request.
            try fixture.client.store.keep(nil, of: UpdaterFixture.name, feed: UpdaterFixture.feed)
            for name in [copy, fixture.signer.feedCopyName] { fixture.signer.withhold(name) }
            let network = fixture.client.network
            network.response(PublisherFixture.base + "timestamp.json") { _ in
                let count = network.requests.count { $0.path?.hasSuffix("/feed.json") == true }
                return OriginResponse(.ok, [:], [count > 1 ? after : before])
            }
            #expect(await fixture.client.failure() == nil)
            #expect(fixture.client.page == "1.1.0")
        }
    }

    @Test("a release of a signed feed that the store has already is activated only with the files that are signed")
    func present() async throws {
        try await TrustFixture.using { fixture in
            try fixture.client.install("1.1.0")
            _ = try fixture.client.store.rollBack(UpdaterFixture.name)
            try fixture.signer.publish("1.1.0", DeliveryFixture.new)
            // What was left is held back no more.
            try fixture.client.store.setHold(false, UpdaterFixture.name)
            #expect(await fixture.client.failure()?.code == .versionConflict)
            #expect(fixture.client.page == "1.0.0")
        }
    }

    @Test("a folder with a signed feed is read as a server is")
    func folder() async throws {
        var configuration = Updater.Configuration()
        configuration.places = .folders
        try await TrustFixture.using(isInstalled: false, configuration) { fixture in
            let directory = fixture.signer.directory
            for (name, bytes) in try fixture.signer.publisher.files() where name != "feed.json" {
                try directory.write(bytes, to: "signed/\(name)")
            }
            let feed = URL(fileURLWithPath: directory.path(of: "signed/feed.json"))
            _ = try await fixture.client.updater.install(feed: feed, root: fixture.signer.anchor)
            #expect(fixture.client.page == "1.0.0")
            #expect(fixture.client.network.requests.isEmpty)
            #expect(try fixture.anchor?.digest == fixture.signer.anchor)
        }
    }
}
