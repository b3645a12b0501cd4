import BundleInstall
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@testable import BundleUpdate
@testable import HTTPCore

@Suite("What updates remember, and what the store has already")
struct UpdateMemoryTests {
    @Test(
        "a failed release is fetched again when it was forgotten, its archive has changed, or a higher version appears",
        arguments: ["forgotten", "changed", "higher"]
    )
    func failedAgain(_ what: String) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            fixture.publish([("1.1.0", [])]) { _ in Array("this is no archive".utf8) }
            _ = await fixture.failure()
            switch what {
            case "forgotten":
                try fixture.store.forgetFailures(of: UpdaterFixture.name)
                #expect(await fixture.failure()?.code == .invalidArchive)
                #expect(fixture.downloadCount == 2)
            case "changed":
                fixture.publish("1.1.0")
                #expect(await fixture.failure() == nil)
                #expect(fixture.active == "1.1.0")
            default:
                fixture.publish([("1.1.0", []), ("1.2.0", [])]) { version in
                    version == "1.2.0" ? UpdaterFixture.archive(version) : Array("this is no archive".utf8)
                }
                #expect(await fixture.failure() == nil)
                #expect(fixture.active == "1.2.0")
            }
        }
    }

    @Test("a release that the store has already is activated, and nothing is fetched")
    func installedBefore() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            try fixture.install("1.1.0")
            try fixture.store.activate(UpdaterFixture.name, BundleVersion("1.0.0"))
            try fixture.store.setHold(false, UpdaterFixture.name)
            fixture.publish("1.1.0")
            let result = try await fixture.updater.update(UpdaterFixture.name)
            guard case .updated(let check, let report, _) = result else {
                Issue.record("\(result)")
                return
            }
            #expect(check.local?.string == "1.0.0")
            #expect((report.outcome, report.version.string, report.newByteCount) == (.activated, "1.1.0", 0))
            #expect(fixture.active == "1.1.0")
            #expect(fixture.page == "1.1.0")
            #expect(fixture.downloadCount == 0)
        }
    }

    @Test("what was cached under the old version is dropped also when the new one is only activated")
    func activationDropsCache() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            try fixture.install("1.1.0")
            let old = BundleVersion("1.0.0")
            try fixture.store.activate(UpdaterFixture.name, old)
            try fixture.store.setHold(false, UpdaterFixture.name)
            try fixture.store.cache([1], url: "https://m.example.com/shop/x", of: UpdaterFixture.name, old)
            fixture.publish("1.1.0")
            _ = try await fixture.updater.update(UpdaterFixture.name)
            await fixture.store.flushCache()
            #expect(try fixture.store.cachedResponses().isEmpty)
        }
    }

    @Test("activating a lower version, or rolling back, isn't undone by the next update; a higher version is taken")
    func lowerByHand() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            try fixture.install("1.1.0")
            try fixture.store.activate(UpdaterFixture.name, BundleVersion("1.0.0"))
            fixture.publish("1.1.0")
            let check = try await fixture.updater.check(UpdaterFixture.name)
            #expect(check.decision.candidates.map { $0.rejection?.code } == ["heldBack"])
            _ = try await fixture.updater.update(UpdaterFixture.name)
            #expect(fixture.active == "1.0.0")
            fixture.publish("1.2.0")
            _ = try await fixture.updater.update(UpdaterFixture.name)
            #expect(fixture.active == "1.2.0")
        }
    }

    @Test("a bundle on hold stays as it is until the hold ends")
    func onHold() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            try fixture.store.setHold(true, UpdaterFixture.name)
            fixture.publish("1.1.0")
            let check = try await fixture.updater.check(UpdaterFixture.name)
            #expect(check.isOnHold)
            #expect(check.highest?.string == "1.1.0")
            _ = try await fixture.updater.update(UpdaterFixture.name)
            #expect(fixture.active == "1.0.0")
            try fixture.store.setHold(false, UpdaterFixture.name)
            _ = try await fixture.updater.update(UpdaterFixture.name)
            #expect(fixture.active == "1.1.0")
        }
    }

    @Test("an older feed than one seen at its URL is refused and recorded; a newer one is taken again")
    func olderFeed() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            fixture.publish([("1.0.0", [])], sequence: 5)
            _ = try await fixture.updater.check(UpdaterFixture.name)
            for sequence in [4, nil] {
                fixture.publish([("1.1.0", [])], sequence: sequence)
                let check = try await fixture.updater.check(UpdaterFixture.name)
                #expect(check.decision.feedRejection == .olderFeed(sequence: sequence.map { Int64($0) }, seen: 5))
                _ = try await fixture.updater.update(UpdaterFixture.name)
                #expect(fixture.active == "1.0.0")
                let failure = try fixture.store.updateState(of: UpdaterFixture.name)?.lastFailure
                #expect(failure?.hasPrefix("the feed is older than one seen") == true)
            }
            // Another URL has a feed, and numbers, of its own.
            let other = "https://get.example.com/shop/other.json"
            fixture.publish([("1.0.5", [])], feed: other, sequence: 1)
            _ = try await fixture.updater.update(UpdaterFixture.name, feed: URL(string: other))
            #expect(fixture.active == "1.0.5")
            fixture.publish([("1.1.0", [])], sequence: 5)
            _ = try await fixture.updater.update(UpdaterFixture.name)
            #expect(fixture.active == "1.1.0")
            #expect(try fixture.store.updateState(of: UpdaterFixture.name)?.lastFailure == nil)
        }
    }

    @Test("a feed that another process overtakes is asked for again, and not taken for one that was set back")
    func overtakenFeed() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            let old = UpdaterFixture.feed("shop", [], sequence: 5)
            let other = Updater(fixture.store, installer: Installer(fixture.store), transport: fixture.network)
            fixture.network.response(UpdaterFixture.feed) { _ in
                fixture.publish([("1.1.0", [])], sequence: 6)
                _ = try await other.check(UpdaterFixture.name)
                return OriginResponse(.ok, [:], old)
            }
            _ = try await fixture.updater.update(UpdaterFixture.name)
            #expect(fixture.active == "1.1.0")
            #expect(try fixture.store.updateState(of: UpdaterFixture.name)?.lastFailure == nil)
            // The one that was overtaken, the other's, and the one again.
            #expect(fixture.network.requests.count { $0.path == "/shop/feed.json" } == 3)
        }
    }

    @Test("a feed that has started over is accepted once when the operator says so, and that is recorded")
    func acceptedFeed() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            fixture.publish([("1.0.0", [])], sequence: 5)
            _ = try await fixture.updater.check(UpdaterFixture.name)
            fixture.publish([("1.1.0", [])], sequence: 2)
            let refused = try await fixture.updater.update(UpdaterFixture.name).check.problem
            #expect(refused?.code == .invalidFeed)
            #expect(refused?.problem.hasPrefix("\(UpdaterFixture.feed): the feed is older than one seen") == true)
            #expect(refused?.remedy == .acceptOlderFeed)
            var configuration = Updater.Configuration()
            configuration.acceptsOlderFeeds = true
            let accepting = Updater(
                fixture.store,
                installer: Installer(fixture.store),
                transport: fixture.network,
                configuration: configuration
            )
            _ = try await accepting.update(UpdaterFixture.name)
            #expect(fixture.active == "1.1.0")
            #expect(try fixture.store.highestSequence(of: UpdaterFixture.name, feed: UpdaterFixture.feed) == 2)
            let details = try fixture.store.history(of: UpdaterFixture.name).compactMap(\.detail)
            #expect(details.contains("accepted, although the feed is older than one seen: it has number 2, after 5"))
            fixture.publish([("1.2.0", [])], sequence: 1)
            #expect(try await fixture.updater.check(UpdaterFixture.name).problem != nil)
        }
    }

    @Test("an active release that is revoked, with nothing in its place, is a problem; not what is replaced")
    func revokedWithoutSuccessor() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            fixture.publish([("1.0.0", [])], members: ["1.0.0": #""revoked": true"#])
            let check = try await fixture.updater.update(UpdaterFixture.name).check
            #expect(check.isRevoked)
            #expect(check.problem?.message.hasPrefix("shop@1.0.0 is revoked by its publisher") == true)
            fixture.publish([("1.0.0", []), ("1.1.0", [])], members: ["1.0.0": #""revoked": true"#])
            let replaced = try await fixture.updater.check(UpdaterFixture.name)
            #expect(!replaced.isRevoked)
            #expect(replaced.problem == nil)
        }
    }

    @Test("a feed that is another bundle's, or whose archive fails, is remembered as far as it was right")
    func seenFeeds() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            fixture.publish([("1.1.0", [])], name: "docs", sequence: 9)
            #expect(await fixture.failure()?.code == .invalidFeed)
            #expect(try fixture.store.highestSequence(of: UpdaterFixture.name, feed: UpdaterFixture.feed) == nil)
            fixture.publish([("1.1.0", [])], sequence: 3) { _ in Array("this is no archive".utf8) }
            #expect(await fixture.failure()?.code == .invalidArchive)
            #expect(try fixture.store.highestSequence(of: UpdaterFixture.name, feed: UpdaterFixture.feed) == 3)
        }
    }

    @Test("an installation keeps its place: a raised share reaches it once, and it is the same after a restart")
    func rollout() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            let place = Cohort(of: try fixture.store.installationIdentifier(), for: UpdaterFixture.name).position
            let reopened = try BundleStore(at: directory.path)
            #expect(Cohort(of: try reopened.installationIdentifier(), for: UpdaterFixture.name).position == place)
            for (percent, isOffered) in [(0, false), (place, false), (min(place + 0.001, 100), true), (100, true)] {
                fixture.publish([("1.1.0", [])], members: ["1.1.0": #""rollout": \#(percent)"#])
                let check = try await fixture.updater.check(UpdaterFixture.name)
                #expect((check.available != nil) == isOffered, "\(percent), at \(place)")
            }
        }
    }

    @Test("on another machine, with a copy of its disk, it has another place")
    func copy() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            fixture.publish([("1.1.0", [])], members: ["1.1.0": #""rollout": 0"#])
            let first = try await fixture.updater.check(UpdaterFixture.name).decision.candidates.first?.rejection
            let same = try await fixture.updater.check(UpdaterFixture.name).decision.candidates.first?.rejection
            #expect(first?.code == "outsideRollout" && same == first)
            let other = MachineFingerprint(machineIdentifier: String(repeating: "0", count: 32).utf8)
            // The first machine with a number keeps it, the next one draws another one.
            for machine in [MachineFingerprint(machineIdentifier: String(repeating: "1", count: 32).utf8), other] {
                _ = try fixture.store.installationIdentifier(on: machine)
            }
            let copy = try await fixture.updater.check(UpdaterFixture.name).decision.candidates.first?.rejection
            #expect(copy?.code == "outsideRollout" && copy != first)
        }
    }

    @Test(
        "a release that needs a newer shell waits for it",
        arguments: [(nil, false), ("1.9", false), ("2.0", true), ("2.1", true)] as [(String?, Bool)]
    )
    func shell(_ shell: String?, _ isOffered: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory, shell: shell)
            fixture.publish([("1.1.0", [])], members: ["1.1.0": #""minimumShell": "2.0""#])
            _ = try await fixture.updater.update(UpdaterFixture.name)
            #expect(fixture.active == (isOffered ? "1.1.0" : "1.0.0"))
        }
    }

    @Test("a bundle whose release is revoked goes to the highest that is left, from the store if it is there")
    func revoked() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            try fixture.install("1.1.0")
            fixture.publish([("1.0.0", []), ("1.1.0", [])], members: ["1.1.0": #""revoked": true"#])
            _ = try await fixture.updater.update(UpdaterFixture.name)
            #expect(fixture.active == "1.0.0")
            #expect(fixture.downloadCount == 0)
            #expect(try await fixture.updater.check(UpdaterFixture.name).available == nil)
            #expect(throws: BundleError.self, "a rollback mustn't lead to it") {
                try fixture.store.rollBack(UpdaterFixture.name)
            }
        }
    }
}
