import BundleModel
import BundleStore
import BundleTesting
import BundleTrust
import Foundation
import Testing

@testable import BundleUpdate

@Suite("By what a feed is trusted")
struct TrustReportTests {
    @Test("the report has each role with its keys, its version and when that expires")
    func report() async throws {
        try await TrustFixture.using { fixture in
            let report = try #require(try TrustReport(of: UpdaterFixture.name, in: fixture.client.store))
            #expect(report.root == fixture.signer.anchor.hex)
            #expect(report.isPinned)
            #expect(report.roles.map(\.name) == ["root", "targets", "snapshot", "timestamp", "feed"])
            #expect(report.roles.map(\.keys) == [["key-1"], ["key-2"], ["key-3"], ["key-3"], ["key-3"]])
            #expect(report.roles.map(\.version) == [1, 1, 1, 1, 1])
            #expect(report.expires == (try Date("2026-02-01T00:00:00Z", strategy: .iso8601)))
            #expect(
                report.signers
                    == "root 1 of key-1, targets 1 of key-2, snapshot 1 of key-3, timestamp 1 of key-3, feed 1 of key-3"
            )
            #expect(report.warnings.isEmpty)
        }
    }

    @Test("a check's report is that of the store")
    func check() async throws {
        try await TrustFixture.using { fixture in
            let store = fixture.client.store
            let outcomes = try await fixture.client.updater.checkAll()
            let outcome = try #require(outcomes.first)
            #expect(outcome.value?.trust != nil)
            let (own, kept) = (try outcome.trustReport(in: store), try TrustReport(of: UpdaterFixture.name, in: store))
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            #expect(try encoder.encode(own) == encoder.encode(kept))
            #expect(own?.roles.count == 5)
        }
    }

    @Test(
        "what should have been signed again is told, and what has expired, by the time that counts",
        arguments: [(14, []), (20, ["snapshot", "timestamp", "feed"]), (40, ["snapshot", "timestamp", "feed"])]
            as [(Int64, [String])]
    )
    func warnings(days: Int64, roles: [String]) async throws {
        try await TrustFixture.using { fixture in
            fixture.client.clock.advance(by: .seconds(days * 86_400))
            let report = try #require(try TrustReport(of: UpdaterFixture.name, in: fixture.client.store))
            #expect(report.time == fixture.client.store.now())
            #expect(report.warnings.flatMap(\.roles) == roles)
            #expect(report.warnings.count == min(roles.count, 1))
            for warning in report.warnings {
                #expect(warning.isExpired == (days > 31))
                #expect(warning.problem.contains("2026-02-01T00:00:00Z"))
                #expect(warning.remedy.contains("feed refresh"))
            }
            try fixture.client.store.setTrustClock(.absent)
            let later = try #require(try TrustReport(of: UpdaterFixture.name, in: fixture.client.store))
            #expect(later.time == (try Date("2026-01-01T00:00:00Z", strategy: .iso8601)))
            #expect(later.warnings.isEmpty)
        }
    }

    @Test("the journal has a change of keys once, and a refusal once, though each check finds it")
    func history() async throws {
        try await TrustFixture.using { fixture in
            fixture.signer.onlineKey = SigningKey(13)
            try fixture.signer.signRoot()
            try fixture.signer.publish("1.1.0", DeliveryFixture.new)
            _ = try await fixture.client.updater.update(UpdaterFixture.name)
            fixture.client.clock.advance(by: .seconds(40 * 86_400))
            for _ in 1...3 {
                #expect(await fixture.refusal() == .expired)
                fixture.client.clock.advance(by: .seconds(60))
            }
            let details = try fixture.client.store.history(of: UpdaterFixture.name).compactMap(\.detail)
            let changes = details.filter { $0.hasPrefix("version 2 of the publisher's root") }
            #expect(changes.count == 1)
            #expect(changes.first?.contains("timestamp 1 of key-13") == true)
            #expect(details.count { $0.contains("timestamp.json: has expired") } == 1)
        }
    }

    @Test("the journal has when a root was given, and when the trust was ended")
    func givenAndEnded() async throws {
        try await TrustFixture.using(isInstalled: false) { fixture in
            let (store, name) = (fixture.client.store, UpdaterFixture.name)
            for _ in 1...2 { try store.trust(name, root: fixture.signer.roots[0], named: "root.json") }
            #expect(try store.endTrust(of: name))
            #expect(try !store.endTrust(of: name))
            let details = try store.history().compactMap(\.detail)
            #expect(details.count == 2)
            #expect(details.first?.contains("given root with SHA-256 \(fixture.signer.anchor)") == true)
            #expect(details.last?.contains("ended") == true)
        }
    }

    @Test("what has expired is shown too")
    func expired() async throws {
        try await TrustFixture.using { fixture in
            fixture.client.clock.advance(by: .seconds(400 * 86_400))
            let report = try #require(try TrustReport(of: UpdaterFixture.name, in: fixture.client.store))
            #expect(report.roles.map(\.version) == [1, 1, 1, 1, 1])
        }
    }

    @Test("a root that an operator gives is trusted before the bundle is installed, and a second one isn't")
    func givenRoot() async throws {
        try await TrustFixture.using(isInstalled: false) { fixture in
            let (store, name) = (fixture.client.store, UpdaterFixture.name)
            #expect(try TrustReport(of: name, in: store) == nil)
            for wrong in [[], Array("{}".utf8)] {
                let error = #expect(throws: BundleError.self) { try store.trust(name, root: wrong, named: "r") }
                #expect(error?.code == .invalidArgument)
            }
            try store.trust(name, root: fixture.signer.roots[0], named: "root.json")
            try store.trust(name, root: fixture.signer.roots[0], named: "root.json")
            let report = try #require(try TrustReport(of: name, in: store))
            #expect(!report.isPinned)
            #expect(report.roles.map(\.version) == [1, nil, nil, nil])
            fixture.signer.rootKey = SigningKey(31)
            try fixture.signer.signRoot()
            let other = fixture.signer.roots[1]
            let error = #expect(throws: BundleError.self) { try store.trust(name, root: other, named: "root.json") }
            #expect(error?.remedy == .endTrust(name))
            fixture.signer.withhold("2.root.json")
            _ = try await fixture.client.updater.install(feed: fixture.feed)
            #expect(fixture.client.page == "1.0.0")
            #expect(try fixture.anchor?.isPinned == false)
        }
    }
}
