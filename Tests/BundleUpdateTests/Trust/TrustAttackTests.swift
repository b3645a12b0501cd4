import BundleInstall
import BundlePublishing
import BundleStore
import BundleTesting
import BundleTrust
import Foundation
import HTTPTypes
import Testing

@testable import BundleUpdate

@Suite("Attacks on signed feeds")
struct TrustAttackTests {
    private func expectNothingInstalled(_ fixture: TrustFixture) throws {
        try fixture.expectUnharmed()
        #expect(try fixture.client.downloads.isEmpty)
    }

    @Test(
        "a feed without signatures isn't taken after a signed one, by an update, a check, an installation or a repair"
    )
    func unsignedFeed() async throws {
        try await TrustFixture.using { fixture in
            try fixture.signer.publisher.publish("1.1.0", DeliveryFixture.new)
            for name in ["timestamp.json", "1.root.json"] { fixture.signer.withhold(name) }
            #expect(await fixture.refusal() == .missing)
            #expect(await fixture.client.failure()?.code == .untrusted)
            let (updater, feed) = (fixture.client.updater, fixture.feed)
            await #expect(throws: BundleError.self) { _ = try await updater.install(feed: feed) }
            await #expect(throws: BundleError.self) { _ = try await updater.check(UpdaterFixture.name) }
            let source = FeedSource(
                store: fixture.client.store,
                document: OriginDocument(transport: fixture.client.network)
            )
            await #expect(throws: BundleError.self) { _ = try await source.whole(of: UpdaterFixture.name, at: feed) }
            try expectNothingInstalled(fixture)
        }
    }

    @Test("a bundle that was removed is installed again from its publisher alone")
    func removedBundle() async throws {
        try await TrustFixture.using { fixture in
            let store = fixture.client.store
            _ = try store.remove(UpdaterFixture.name, nil)
            var thief = try SigningPublisher(in: fixture.signer.directory, network: fixture.client.network)
            (thief.rootKey, thief.releaseKey, thief.onlineKey) = (SigningKey(21), SigningKey(22), SigningKey(23))
            try thief.publish("1.1.0", DeliveryFixture.new)
            let (updater, feed) = (fixture.client.updater, fixture.feed)
            for root in [nil, thief.anchor] {
                let error = await #expect(throws: BundleError.self) {
                    _ = try await updater.install(feed: feed, root: root)
                }
                #expect(error?.code == .untrusted)
            }
            #expect(store.snapshot.bundles[UpdaterFixture.name] == nil)
            #expect(try store.endTrust(of: UpdaterFixture.name))
            _ = try await updater.install(feed: feed, root: thief.anchor)
            #expect(fixture.client.page == "1.1.0")
        }
    }

    /// What somebody may say in a feed that has only the online key.
    enum Claim: String, CaseIterable, CustomTestStringConvertible {
        case unsignedArchive, otherArchive, otherSize, otherBundle, otherVersion, noFiles, otherFiles

        var testDescription: String { rawValue }
    }

    @Test(
        "a stolen online key can't have a byte run that the release key hasn't signed for this release",
        arguments: Claim.allCases
    )
    func stolenOnlineKey(_ claim: Claim) async throws {
        try await TrustFixture.using { fixture in
            try fixture.signer.publisher.publish("1.1.0", DeliveryFixture.new)
            var targets = try fixture.signer.allTargets()
            let index = try #require(targets.firstIndex { $0.version == "1.1.0" })
            switch claim {
            case .unsignedArchive: targets.remove(at: index)
            case .otherArchive: targets[index].digest = Digest(of: [1])
            case .otherSize: targets[index].size += 1
            case .otherBundle: targets[index].name = "docs"
            case .otherVersion: targets[index].version = "1.1.1"
            case .noFiles: targets[index].files = nil
            case .otherFiles: targets[index].files = Digest(of: [2])
            }
            try fixture.signer.signRelease(targets)
            try fixture.signer.signOnline()
            _ = await fixture.client.failure()
            let check = try? await fixture.client.updater.check(UpdaterFixture.name)
            #expect(check?.decision.failure != nil)
            if claim != .otherFiles {
                #expect(check?.decision.candidates.first?.rejection?.code == "untrusted")
                #expect(fixture.client.downloadCount == 1)
            }
            try expectNothingInstalled(fixture)
        }
    }

    @Test(
        "a patch and a content list that make other files of a signed release come to nothing",
        arguments: [true, false]
    )
    func otherContent(isPatch: Bool) async throws {
        try await TrustFixture.using { fixture in
            let evil = DeliveryFixture.new.merging(["b.js": "evil"]) { $1 }
            let signer = fixture.signer
            // The thief's release is published as 1.1.0 in another folder.
            let other = signer.directory.path(of: "evil")
            for (version, files) in [("1.0.0", DeliveryFixture.old), ("1.1.0", evil)] {
                let path = try signer.directory.write(PublisherFixture.archive(version, files), to: "evil-\(version)")
                _ = try FeedFolder(other).publish(
                    ReleaseDraft(path, options: InstallOptions()),
                    fileExtension: "zip",
                    patchCount: 3
                )
            }
            try fixture.signer.publish("1.1.0", DeliveryFixture.new)
            let bad = try FeedDocument.parse(signer.directory.read("evil/feed.json"), named: "feed.json")
            let good = try FeedDocument.parse(fixture.signer.feed, named: "feed.json")
            var entry = try good.entries.offering(BundleVersion("1.1.0"))
            let stolen = try bad.entries.offering(BundleVersion("1.1.0"))
            entry.contents = stolen.contents
            entry.patches = isPatch ? stolen.patches : []
            for file in [stolen.contents?.list].compactMap(\.self) + stolen.patches.map(\.file) {
                signer.serve(file.location, try signer.directory.read("evil/\(file.location)"))
            }
            try fixture.signer.signOnline(good.adding(entry).encoded())
            let result = try await fixture.client.updater.update(UpdaterFixture.name)
            guard case .updated(_, _, let report?) = result else { throw BundleError(.invalidFeed, "\(result)") }
            #expect(report.plan == .archive)
            #expect(fixture.client.page == "1.1.0")
            let release = fixture.client.store.snapshot.bundles[UpdaterFixture.name]?.active
            #expect(release?.filesDigest() == fixture.signer.targets.first { $0.version == "1.1.0" }?.files)
        }
    }

    @Test(
        "an earlier state doesn't come back, in any of its parts",
        arguments: [
            ("1.root.json", "2.root.json", .rollback), ("timestamp.json", "timestamp.json", .rollback),
            ("2.snapshot.json", "3.snapshot.json", .contentMismatch),
            ("2.targets.json", "3.targets.json", .contentMismatch), ("2.feed.json", "3.feed.json", .contentMismatch),
            ("feed.json", "feed.json", .contentMismatch),
        ] as [(String, String, TrustError.Code)]
    )
    func rollback(_ earlier: String, _ name: String, _ expected: TrustError.Code) async throws {
        try await TrustFixture.using { fixture in
            let timestamp = try fixture.signer.directory.read("signed/timestamp.json")
            try fixture.signer.publish("1.1.0", DeliveryFixture.new)
            #expect(await fixture.client.failure() == nil)
            let earlier =
                earlier == "timestamp.json" ? timestamp : try fixture.signer.directory.read("signed/\(earlier)")
            try fixture.signer.publish("1.2.0", DeliveryFixture.old)
            fixture.signer.serve(name, earlier)
            #expect(await fixture.refusal() == expected)
            #expect(fixture.client.page == "1.1.0")
        }
    }

    @Test("a frozen feed ends updates once it has expired, and no page, also when the clock is set back then")
    func freeze() async throws {
        try await TrustFixture.using { fixture in
            fixture.signer.signedAt = "2026-01-20T00:00:00Z"
            try fixture.signer.signOnline()
            #expect(await fixture.client.failure() == nil)
            fixture.client.clock.advance(by: .seconds(40 * 86_400))
            #expect(await fixture.refusal() == .expired)
            #expect(fixture.client.page == "1.0.0")
            fixture.signer.onlineExpiry = "2026-03-01T00:00:00Z"
            try fixture.signer.publish("1.1.0", DeliveryFixture.new)
            #expect(await fixture.client.failure() == nil)
            #expect(fixture.client.page == "1.1.0")
        }
    }

    @Test("where everything has to be signed, nothing else is installed")
    func required() async throws {
        var configuration = Updater.Configuration()
        configuration.requiresTrust = true
        try await TrustFixture.using(isInstalled: false, configuration) { fixture in
            let (updater, feed) = (fixture.client.updater, fixture.feed)
            fixture.signer.withhold("1.root.json")
            let error = await #expect(throws: BundleError.self) { _ = try await updater.install(feed: feed) }
            #expect((error?.cause as? TrustError)?.code == .missing)
            let archive = try #require(URL(string: UpdaterFixture.source("1.0.0")))
            await #expect(throws: BundleError.self) {
                _ = try await updater.install(archive: archive, digest: Digest(of: [0]))
            }
            try fixture.client.install("0.9.0")
            #expect(await fixture.refusal() == .missing)
            #expect(fixture.client.downloadCount == 0)
            fixture.signer.serve("1.root.json", fixture.signer.roots[0])
            #expect(await fixture.client.failure() == nil)
            #expect(fixture.client.page == "1.0.0")
        }
    }
}

@Suite("The time against which signed documents expire")
struct TrustTimeTests {
    private static func date(_ text: String) -> Date { try! Date(text, strategy: .iso8601) }

    @Test("a time of signing in the far future, by a stolen online key, goes with the key")
    func farFuture() async throws {
        try await TrustFixture.using { fixture in
            (fixture.signer.signedAt, fixture.signer.onlineExpiry) = ("2999-01-01T00:00:00Z", "2999-02-01T00:00:00Z")
            try fixture.signer.signOnline()
            #expect(await fixture.client.failure() == nil)
            #expect(await fixture.refusal() == .expired)
            (fixture.signer.signedAt, fixture.signer.onlineExpiry) = ("2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z")
            fixture.signer.onlineKey = SigningKey(13)
            try fixture.signer.signRoot()
            try fixture.signer.publish("1.1.0", DeliveryFixture.new)
            #expect(await fixture.client.failure() == nil)
            #expect(fixture.client.page == "1.1.0")
        }
    }

    @Test("a timestamp whose keys don't count any more counts for nothing, the time included")
    func replacedKeys() async throws {
        try await TrustFixture.using { fixture in
            fixture.signer.onlineKey = SigningKey(13)
            try fixture.signer.signRoot(alsoBy: [])
            let keeper = try FirstUseKeeper(root: fixture.signer.roots[1], digest: nil)
            let timestamp = try #require(
                try fixture.client.store.trustedDocument("timestamp.json", of: UpdaterFixture.name)
            )
            try keeper.keep(timestamp.content, of: .timestamp, version: 1, dropping: [])
            #expect(try TrustedState(restoredFrom: keeper).timestamp == nil)
        }
    }
}
