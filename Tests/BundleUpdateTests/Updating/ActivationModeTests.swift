import BundleInstall
import BundleStore
import BundleTesting
import Foundation
import Testing

@testable import BundleUpdate

@Suite("When updates become active, and what mustn't be used until then")
struct ActivationModeTests {
    private func updater(_ fixture: UpdaterFixture, _ mode: ActivationMode) -> Updater {
        var configuration = Updater.Configuration()
        configuration.activation = mode
        return Updater(
            fixture.store,
            installer: Installer(fixture.store),
            transport: fixture.network,
            configuration: configuration
        )
    }

    private func bundle(_ fixture: UpdaterFixture) throws -> InstalledBundle {
        try fixture.store.bundle(UpdaterFixture.name)
    }

    @Test(
        "an update that waits is fetched once, and becomes active later",
        arguments: [ActivationMode.nextStart, .whenIdle]
    )
    func waiting(_ mode: ActivationMode) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            fixture.publish("1.1.0")
            let updater = updater(fixture, mode)
            let first = try await updater.update(UpdaterFixture.name)
            guard case .pending(let check, let report, _) = first else {
                Issue.record("\(first)")
                return
            }
            #expect((check.local?.string, report.version.string) == ("1.0.0", "1.1.0"))
            #expect(fixture.active == "1.0.0")
            #expect(try bundle(fixture).lifecycle.pending?.mode == mode)
            let second = try await updater.update(UpdaterFixture.name)
            guard case .upToDate = second else {
                Issue.record("\(second)")
                return
            }
            #expect(fixture.downloadCount == 1)
            fixture.store.activatePending { _, _ in true }
            #expect(fixture.active == "1.1.0")
            #expect(fixture.page == "1.1.0")
        }
    }

    @Test("a higher version takes the place of one that waits, and an update at once ends the waiting")
    func replaced() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            for version in ["1.1.0", "1.2.0"] {
                fixture.publish(version)
                _ = try await updater(fixture, .nextStart).update(UpdaterFixture.name)
                #expect(try bundle(fixture).lifecycle.pending?.version.string == version)
            }
            _ = try await updater(fixture, .now).update(UpdaterFixture.name)
            #expect(fixture.active == "1.2.0")
            #expect(try bundle(fixture).lifecycle.pending == nil)
        }
    }

    @Test("a release that mustn't be used any more isn't waited for", arguments: ["revoked", "critical"])
    func urgent(_ what: String) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            let terms = what == "revoked" ? ["1.0.0": #""revoked": true"#] : ["1.1.0": #""critical": true"#]
            fixture.publish([("1.0.0", []), ("1.1.0", [])], members: terms)
            _ = try await updater(fixture, .nextStart).update(UpdaterFixture.name)
            #expect(fixture.active == "1.1.0")
            #expect(try bundle(fixture).withdrawal == nil)
        }
    }

    @Test("a check is enough to end the use of a revoked release, and of one before a critical one")
    func withdrawn() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            fixture.publish([("1.0.0", []), ("1.1.0", [])], members: ["1.1.0": #""critical": true"#])
            _ = try await fixture.updater.check(UpdaterFixture.name)
            #expect(try bundle(fixture).withdrawal?.successor?.string == "1.1.0")
            #expect(fixture.page == nil)
            fixture.publish([("1.0.0", []), ("1.1.0", [])])
            _ = try await fixture.updater.check(UpdaterFixture.name)
            #expect(try bundle(fixture).withdrawal == nil)
            #expect(fixture.page == "1.0.0")
            fixture.publish([("1.0.0", [])], members: ["1.0.0": #""revoked": true"#])
            await #expect(throws: Never.self) { try await fixture.updater.check(UpdaterFixture.name) }
            #expect(try bundle(fixture).withdrawal?.reason == .revoked)
            #expect(fixture.page == nil)
        }
    }

    @Test("releases that were left before are revoked too, and those before a critical one when it is active")
    func retained() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory, local: "0.9.0")
            func withdrawn() throws -> [String: Withdrawal.Reason] {
                try bundle(fixture).lifecycle.withdrawals.mapValues(\.reason)
            }
            try fixture.install("1.0.0")
            let releases = ["0.9.0", "1.0.0", "1.1.0"].map { ($0, [String]()) }
            fixture.publish(releases, members: ["0.9.0": #""revoked": true"#])
            _ = try await fixture.updater.check(UpdaterFixture.name)
            #expect(try withdrawn() == ["0.9.0": .revoked])
            #expect(fixture.page == "1.0.0")
            fixture.publish(releases, members: ["0.9.0": #""revoked": true"#, "1.1.0": #""critical": true"#])
            _ = try await fixture.updater.update(UpdaterFixture.name)
            #expect(fixture.page == "1.1.0")
            #expect(try withdrawn() == ["0.9.0": .revoked, "1.0.0": .critical])
            let generation = fixture.store.snapshot.generation
            _ = try await fixture.updater.check(UpdaterFixture.name)
            #expect(try withdrawn() == ["0.9.0": .revoked, "1.0.0": .critical])
            #expect(fixture.store.snapshot.generation == generation, "nothing is new")
            try fixture.store.markBad(UpdaterFixture.name, BundleVersion("1.1.0"), reason: "white")
            _ = try await fixture.updater.check(UpdaterFixture.name)
            #expect(try withdrawn() == ["0.9.0": .revoked])
            #expect(fixture.page == "1.0.0")
        }
    }

    @Test(
        "a critical release ends no use where it isn't offered, or where it was left",
        arguments: ["hold", "rollback", "channel", "rollout", "lower"]
    )
    func unaffected(_ what: String) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            var (critical, channels) = ("1.1.0", [String]())
            var terms = #""critical": true"#
            switch what {
            case "hold": try fixture.store.setHold(true, UpdaterFixture.name)
            case "rollback":
                try fixture.install("1.1.0")
                try fixture.store.rollBack(UpdaterFixture.name)
            case "channel": channels = ["beta"]
            case "rollout": terms += #", "rollout": 0"#
            default: critical = "0.9.0"
            }
            fixture.publish([(critical, channels)], members: [critical: terms])
            _ = try await fixture.updater.check(UpdaterFixture.name)
            #expect(try bundle(fixture).withdrawal == nil)
            #expect(fixture.page == "1.0.0")
        }
    }

    @Test("an older feed than one seen ends no use")
    func olderFeed() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            fixture.publish([("1.0.0", [])], sequence: 7)
            _ = try await fixture.updater.check(UpdaterFixture.name)
            fixture.publish([("1.0.0", [])], members: ["1.0.0": #""revoked": true"#], sequence: 6)
            _ = try await fixture.updater.check(UpdaterFixture.name)
            #expect(try bundle(fixture).withdrawal == nil)
        }
    }

    @Test(
        "a release that waits and is revoked meanwhile never becomes active",
        arguments: [ActivationMode.nextStart, .whenIdle]
    )
    func revokedWhileWaiting(_ mode: ActivationMode) async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            fixture.publish("1.1.0")
            let updater = updater(fixture, mode)
            _ = try await updater.update(UpdaterFixture.name)
            #expect(try bundle(fixture).lifecycle.pending != nil)
            fixture.publish([("1.1.0", [])], members: ["1.1.0": #""revoked": true"#])
            _ = try await updater.update(UpdaterFixture.name)
            #expect(try bundle(fixture).lifecycle.pending == nil)
            fixture.store.activatePending { _, _ in true }
            #expect(fixture.active == "1.0.0")
        }
    }

    @Test("a bundle on hold goes on waiting")
    func onHold() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            fixture.publish("1.1.0")
            _ = try await updater(fixture, .nextStart).update(UpdaterFixture.name)
            try fixture.store.setHold(true, UpdaterFixture.name)
            fixture.store.activatePending { _, _ in true }
            #expect(fixture.active == "1.0.0")
            try fixture.store.setHold(false, UpdaterFixture.name)
            fixture.store.activatePending { _, _ in true }
            #expect(fixture.active == "1.1.0")
        }
    }

    @Test("nothing goes back to a release that its publisher has revoked")
    func revokedBefore() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = try UpdaterFixture(in: directory)
            fixture.publish("1.1.0")
            let updater = updater(fixture, .now)
            _ = try await updater.update(UpdaterFixture.name)
            fixture.publish(
                [("1.0.0", []), ("1.1.0", [])],
                members: ["1.0.0": #""revoked": true"#]
            )
            _ = try await updater.check(UpdaterFixture.name)
            let error = #expect(throws: BundleError.self) { try fixture.store.rollBack(UpdaterFixture.name) }
            #expect(error?.code == .invalidArgument)
            #expect(fixture.active == "1.1.0")
        }
    }
}
