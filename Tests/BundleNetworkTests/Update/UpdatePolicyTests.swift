import BundleStore
import Foundation
import Testing

@testable import BundleNetwork

@Suite("UpdatePolicy")
struct UpdatePolicyTests {
    /// `1.0@beta` is version 1.0 in the channel beta; without `@` it is in every channel.
    private func feed(_ releases: [String]) throws -> Feed {
        Feed(name: try #require(BundleName("shop")), releases: try releases.map(release))
    }

    private func release(_ text: String) throws -> FeedRelease {
        let parts = text.split(separator: "@", maxSplits: 1).map(String.init)
        return FeedRelease(
            version: try #require(BundleVersion(parts[0])),
            source: try #require(URL(string: "https://a/\(parts[0]).zip")),
            size: 1,
            digest: Digest(of: Array(text.utf8)),
            channels: parts.dropFirst().flatMap { $0.split(separator: "+").map(String.init) }
        )
    }

    @Test(
        "a higher version in the channel is an update, whichever the order of the feed",
        arguments: [
            ("1.0.0", ["1.1.0"], "1.1.0"), ("1.9", ["1.10"], "1.10"),
            ("1.0.0", ["1.2.0", "1.10.0", "1.9.0"], "1.10.0"),
            (nil, ["0.0.1-alpha"], "0.0.1-alpha"), (nil, ["1.0", "2.0@beta"], "1.0"),
            ("1.0.0", ["1.1.0@stable", "2.0.0@beta"], "1.1.0"), ("1.0.0", ["1.1.0@beta+stable"], "1.1.0"),
            ("1.0.0", ["1.1.0-rc.1"], "1.1.0-rc.1"), ("1.1.0-rc.1", ["1.1.0"], "1.1.0"),
            ("1.0.0-beta.2", ["1.0.0-beta.11"], "1.0.0-beta.11"), ("20261119.9", ["20261120.1"], "20261120.1"),
        ] as [(String?, [String], String)]
    )
    func update(_ local: String?, _ offered: [String], _ expected: String) throws {
        let local = try local.map { try #require(BundleVersion($0)) }
        let decision = UpdatePolicy.decide(local: local, channel: "stable", feed: try feed(offered))
        guard case .update(let release) = decision else {
            Issue.record("\(decision)")
            return
        }
        #expect(release.version.string == expected)
    }

    @Test(
        "a lower or equal version, or another channel's, changes nothing",
        arguments: [
            ("1.0.0", ["1.0.0"], "1.0.0"), ("1.2.0", ["1.2"], "1.2"), ("1.0.0", ["0.9.0"], "0.9.0"),
            ("1.10", ["1.9"], "1.9"),
            ("1.0.0", ["1.0.0-rc.9"], "1.0.0-rc.9"), ("1.0.0+a", ["1.0.0+b"], "1.0.0+b"),
            ("1.0.0", ["2.0.0@beta"], nil),
            ("1.0.0", ["1.0.0", "2.0.0@Stable"], "1.0.0"), ("1.0.0", [], nil), (nil, [], nil),
            (nil, ["1.0.0@beta"], nil),
        ] as [(String?, [String], String?)]
    )
    func upToDate(_ local: String?, _ offered: [String], _ highest: String?) throws {
        let local = try local.map { try #require(BundleVersion($0)) }
        let decision = UpdatePolicy.decide(local: local, channel: "stable", feed: try feed(offered))
        guard case .upToDate(let version) = decision else {
            Issue.record("\(decision)")
            return
        }
        #expect(version?.string == highest)
    }
}
