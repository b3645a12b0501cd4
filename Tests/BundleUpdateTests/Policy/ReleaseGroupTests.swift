import BundleStore
import Foundation
import Testing

@testable import BundleUpdate

@Suite("Releases for groups of installations")
struct ReleaseGroupTests {
    /// What is offered: a channel, a share in percent, groups. Which installation: its channel, its place, its groups. The reason why the
    /// release isn't chosen, and the group by which it is.
    private struct Case {
        let channels: [String]
        let share: Double
        let groups: [String]
        var channel = "stable"
        let position: Double?
        let own: Set<String>
        let rejection: String?
        let group: String?
    }

    private static let cases: [Case] = [
        // A member gets it at any share, also where the store can't keep a place.
        Case(channels: [], share: 0, groups: ["lab", "qa"], position: nil, own: ["qa"], rejection: nil, group: "qa"),
        Case(channels: [], share: 10, groups: ["lab"], position: 10, own: ["lab", "b"], rejection: nil, group: "lab"),
        // Others by the share.
        Case(channels: [], share: 10, groups: ["lab"], position: 9.9, own: [], rejection: nil, group: nil),
        Case(channels: [], share: 10, groups: ["lab"], position: 10, own: [], rejection: "outsideRollout", group: nil),
        // Names are compared exactly.
        Case(
            channels: [],
            share: 10,
            groups: ["lab"],
            position: 10,
            own: ["Lab"],
            rejection: "outsideRollout",
            group: nil
        ),
        // In its channels alone.
        Case(
            channels: ["beta"],
            share: 0,
            groups: ["lab"],
            position: 1,
            own: ["lab"],
            rejection: "otherChannel",
            group: "lab"
        ),
        Case(
            channels: ["beta"],
            share: 0,
            groups: ["lab"],
            channel: "beta",
            position: 1,
            own: ["lab"],
            rejection: nil,
            group: "lab"
        ),
        // To be in groups is no condition.
        Case(channels: [], share: 100, groups: [], position: nil, own: ["lab"], rejection: nil, group: nil),
        Case(channels: [], share: 100, groups: ["lab"], position: nil, own: [], rejection: nil, group: nil),
    ]

    @Test("a member of a group gets it in its channel, others by channel and share", arguments: cases.indices)
    func offered(_ index: Int) throws {
        let row = Self.cases[index]
        let terms = ReleaseTerms(
            channels: row.channels,
            rollout: try #require(Rollout(percent: row.share)),
            groups: row.groups
        )
        let candidate = try #require(decide(terms, row.channel, row.position, row.own).candidates.first)
        #expect(candidate.rejection?.code == row.rejection)
        #expect(candidate.group == row.group)
    }

    @Test("what other rules say holds for members too")
    func otherRules() throws {
        let terms = ReleaseTerms(groups: ["lab"], minimumShell: "2", isRevoked: false)
        #expect(try decide(terms, "stable", 1, ["lab"]).candidates.map { $0.rejection?.code } == ["shellTooOld"])
        let revoked = ReleaseTerms(groups: ["lab"], isRevoked: true)
        #expect(try decide(revoked, "stable", 1, ["lab"]).candidates.map { $0.rejection?.code } == ["revoked"])
    }

    private func decide(
        _ terms: ReleaseTerms,
        _ channel: String,
        _ position: Double?,
        _ groups: Set<String>
    ) throws -> UpdateDecision {
        let release = FeedRelease(
            version: "1.1.0",
            source: try #require(URL(string: "https://a/1.1.0.zip")),
            size: 1,
            digest: Digest(of: []),
            terms: terms
        )
        return UpdatePolicy.decide(
            installed: InstalledState(active: "1.0.0", channel: channel),
            feed: Feed(name: BundleName("shop"), releases: [release]),
            device: DeviceState(cohort: position.map(Cohort.init(position:)), groups: groups),
            now: Date(timeIntervalSince1970: 1_767_225_600)
        )
    }
}
