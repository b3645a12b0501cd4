import BundleStore
import BundleTesting
import BundleTrust
import HTTPTypes
import Testing

@testable import BundleUpdate

/// The table of the page “Signing”: what a thief can do who also writes to the web server.
@Suite("Stolen keys")
struct StolenKeyTests {
    enum Key: String, CaseIterable { case root, release, online }

    /// What a thief signs, with the stolen keys and, in place of the others, with keys of its own.
    enum Way: String, CaseIterable { case feed, feedAndTargets, everything }

    struct Theft: CustomTestStringConvertible {
        let keys: [Key]
        let way: Way

        var testDescription: String { "\(keys.map(\.rawValue)), \(way.rawValue)" }

        /// Whether any content runs.
        var isFatal: Bool {
            switch way {
            case .feed: false
            case .feedAndTargets: keys.contains(.release) && keys.contains(.online)
            case .everything: keys.contains(.root)
            }
        }

        /// Each key alone, each pair, all, and none.
        static let all = (0..<1 << Key.allCases.count).flatMap { bits in
            let keys = Key.allCases.enumerated().filter { bits >> $0.offset & 1 == 1 }.map(\.element)
            return Way.allCases.map { Theft(keys: keys, way: $0) }
        }
    }

    @Test(
        "nothing unsigned is ever readable, unless root, or both release and online, are stolen",
        arguments: Theft.all
    )
    func theft(_ theft: Theft) async throws {
        try await TrustFixture.using { fixture in
            var thief = fixture.signer
            if !theft.keys.contains(.root) { thief.rootKey = SigningKey(21) }
            if !theft.keys.contains(.release) { thief.releaseKey = SigningKey(22) }
            if !theft.keys.contains(.online) { thief.onlineKey = SigningKey(23) }
            if theft.way == .everything { try thief.signRoot() }
            try thief.publisher.publish("9.9.9", ["a.js": "evil"])
            if theft.way != .feed { try thief.signRelease(thief.allTargets()) }
            try thief.signOnline()
            _ = await fixture.client.failure()
            guard !theft.isFatal else {
                #expect(fixture.client.page == "9.9.9")
                return
            }
            try fixture.expectUnharmed()
            _ = try? await fixture.client.updater.install(feed: fixture.feed)
            try fixture.expectUnharmed()
        }
    }

    @Test("a stolen online key doesn't bring back what the release key has taken out")
    func earlierTargets() async throws {
        try await TrustFixture.using { fixture in
            let earlier = fixture.signer
            try fixture.signer.signRelease([])
            try fixture.signer.signOnline()
            _ = await fixture.client.failure()
            let targets = try fixture.client.store.trustedDocument("targets.json", of: UpdaterFixture.name)
            #expect(targets?.version == 2)
            var thief = earlier
            thief.onlineVersion = 100
            try thief.signOnline()
            #expect(await fixture.refusal() == .rollback)
            try fixture.expectUnharmed()
        }
    }

    @Test("a thief of all keys who makes 300 roots has the device follow 256 at a time, and end at the last one")
    func manyRoots() async throws {
        try await TrustFixture.using { fixture in
            for _ in 0..<300 { try fixture.signer.signRoot() }
            try fixture.signer.publish("1.1.0", DeliveryFixture.new)
            let count = fixture.client.network.requests.count
            func rootVersion() throws -> Int64? {
                try fixture.client.store.trustedDocument("root.json", of: UpdaterFixture.name)?.version
            }
            #expect(await fixture.client.failure() == nil)
            #expect(try rootVersion() == 257)
            let roots = fixture.client.network.requests.dropFirst(count).compactMap(\.path).filter {
                $0.hasSuffix(".root.json")
            }
            #expect(roots.count == 256)
            _ = await fixture.client.failure()
            #expect(try rootVersion() == 301)
            #expect(fixture.client.page == "1.1.0")
        }
    }
}
