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
            #expect(report.roles.map(\.version) == [1, 1, 1, 1, nil])
            #expect(report.expires == (try Date("2026-02-01T00:00:00Z", strategy: .iso8601)))
        }
    }

    @Test("what has expired is shown too")
    func expired() async throws {
        try await TrustFixture.using { fixture in
            fixture.client.clock.advance(by: .seconds(400 * 86_400))
            let report = try #require(try TrustReport(of: UpdaterFixture.name, in: fixture.client.store))
            #expect(report.roles.map(\.version) == [1, 1, 1, 1, nil])
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
