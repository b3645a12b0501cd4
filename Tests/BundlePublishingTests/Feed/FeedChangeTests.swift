import BundleStore
import Foundation
import Testing

@testable import BundlePublishing
@testable import BundleUpdate

@Suite("A publisher's changes to a feed")
struct FeedChangeTests {
    private func entries(_ texts: [String]) throws -> [FeedEntry] { try texts.map(FeedEntry.sample) }

    private func texts(_ entries: [FeedEntry]) -> [String] {
        entries.map { entry in
            let channels = entry.terms.channels.isEmpty ? "" : "@" + entry.terms.channels.joined(separator: "+")
            return "\(entry.version)\(channels)\(entry.terms.isRevoked ? "!" : "")"
        }
    }

    private static let now = Date(timeIntervalSince1970: 1_767_225_600.75)

    private static func version(_ text: String) -> BundleVersion { BundleVersion(text)! }

    private static let changes: [([String], FeedChange, [String])] = [
        (["1.1", "1.0"], .unpublish(version("1.0")), ["1.1"]),
        (["1.0!"], .unpublish(version("1.0")), []),
        (["1.1@beta"], .promote(version("1.1"), from: "beta", to: "stable"), ["1.1@beta+stable"]),
        (["1.1"], .promote(version("1.1"), from: "stable", to: "lts"), ["1.1@stable+lts"]),
        (["1.1@beta+stable"], .promote(version("1.1"), from: "beta", to: "stable"), ["1.1@beta+stable"]),
        (["1.1", "1.0"], .revoke(version("1.0")), ["1.1", "1.0!"]),
        (["1.0!"], .revoke(version("1.0")), ["1.0!"]),
        (["1.2", "1.1", "1.0"], .rollBack(to: version("1.0")), ["1.2!", "1.1!", "1.0"]),
        (["1.2", "1.1", "1.0"], .rollBack(to: version("1.2")), ["1.2", "1.1", "1.0"]),
        (
            ["2.0@beta", "1.2@stable+beta", "1.1@lts", "1.0"], .rollBack(to: version("1.0")),
            ["2.0@beta", "1.2@stable+beta!", "1.1@lts", "1.0"]
        ),
        (["1.1!", "1.0"], .rollBack(to: version("1.0")), ["1.1!", "1.0"]),
    ]

    @Test("each does what it says, and nothing else", arguments: changes.indices)
    func change(_ index: Int) throws {
        let (before, change, after) = Self.changes[index]
        #expect(try texts(change.applied(to: entries(before), at: Self.now)) == after, "\(change)")
    }

    @Test("a rollout sets the share of one release, up and down")
    func rollout() throws {
        var entries = try entries(["1.1", "1.0"])
        for percent in [10, 50, 100, 5] {
            let share = try #require(Rollout(percent: Double(percent)))
            entries = try FeedChange.rollOut(Self.version("1.1"), share).applied(to: entries, at: Self.now)
            #expect(entries.map(\.terms.rollout) == [share, .everyone])
        }
    }

    @Test(
        "it says since when the share holds, which a change of groups leaves as it is, and all installations have no time"
    )
    func rolloutSince() throws {
        let (ten, all) = (try #require(Rollout(percent: 10)), Rollout.everyone)
        let start = Date(timeIntervalSince1970: 1_767_225_600)
        var entries = try entries(["1.1"])
        let steps: [(Double, Rollout, [String]?, Date?, [String])] = [
            (0, ten, nil, start, []), (60, ten, ["lab"], start, ["lab"]), (120, all, nil, nil, ["lab"]),
            (180, ten, [], start + 180, []),
        ]
        for (seconds, share, groups, since, expected) in steps {
            let change = FeedChange.rollOut(Self.version("1.1"), share, groups: groups)
            entries = try change.applied(to: entries, at: Self.now + seconds)
            #expect(entries[0].terms.rolloutSince == since)
            #expect(entries[0].terms.groups == expected)
        }
        // A feed of a time before this was written.
        entries[0].terms.rolloutSince = nil
        entries = try FeedChange.rollOut(Self.version("1.1"), ten).applied(to: entries, at: Self.now)
        #expect(entries[0].terms.rolloutSince == start)
    }

    @Test("a share that somebody else has changed meanwhile isn't raised, nor one of a release that was revoked")
    func advance() throws {
        let (one, ten) = (try #require(Rollout(percent: 1)), try #require(Rollout(percent: 10)))
        let version = Self.version("1.1")
        let before = try FeedChange.rollOut(version, one).applied(to: entries(["1.1"]), at: Self.now)
        let after = try FeedChange.advance(version, from: one, to: ten).applied(to: before, at: Self.now + 60)
        #expect(after[0].terms.rollout == ten)
        #expect(after[0].terms.rolloutSince == Date(timeIntervalSince1970: 1_767_225_660))
        let error = #expect(throws: BundleError.self) {
            try FeedChange.advance(version, from: one, to: ten).applied(to: after, at: Self.now)
        }
        #expect(error?.code == .storeBusy)
        let revoked = try FeedChange.revoke(version).applied(to: before, at: Self.now)
        #expect(throws: BundleError.self) {
            try FeedChange.advance(version, from: one, to: ten).applied(to: revoked, at: Self.now)
        }
    }

    private static let refusals: [([String], FeedChange, String)] = [
        (["1.1"], .unpublish(version("1.0")), "the feed doesn't offer 1.0; it offers 1.1"),
        ([], .revoke(version("1.0")), "the feed doesn't offer 1.0; it offers nothing"),
        (["1.0.0"], .revoke(version("1.0")), "the feed doesn't offer 1.0; it offers 1.0.0"),
        (["1.1"], .promote(version("1.1"), from: "beta", to: "stable"), "1.1 isn't offered in beta, only in stable"),
        (["1.1!"], .promote(version("1.1"), from: "stable", to: "lts"), "1.1 was revoked; publish a higher version"),
        (["1.1!"], .rollOut(version("1.1"), .everyone), "1.1 was revoked; publish a higher version"),
        (["1.1!"], .rollBack(to: version("1.1")), "1.1 was revoked; publish a higher version"),
    ]

    @Test("what isn't possible is refused", arguments: refusals.indices)
    func refusal(_ index: Int) throws {
        let (before, change, message) = Self.refusals[index]
        let entries = try entries(before)
        let error = #expect(throws: BundleError.self) { try change.applied(to: entries, at: Self.now) }
        #expect(error?.code == (message.hasPrefix("the feed doesn't offer") ? .notFound : .invalidArgument))
        #expect(error?.message == message)
    }

    @Test(
        "the highest of each channel are kept, revoked ones too",
        arguments: [
            (1, ["1.0", "1.2", "1.1"], ["1.2"]), (2, ["1.0", "1.2", "1.1"], ["1.2", "1.1"]),
            (1, ["1.2!", "1.1", "1.0"], ["1.2!", "1.1"]), (1, ["1.0!", "1.1", "1.2"], ["1.0!", "1.2"]),
            (1, ["2.0@beta", "1.2@beta+stable", "1.1"], ["2.0@beta", "1.2@beta+stable"]),
            (1, ["1.2", "1.1@lts", "1.0@lts"], ["1.2", "1.1@lts"]),
        ]
    )
    func retention(_ count: Int, _ before: [String], _ after: [String]) throws {
        let kept = FeedRetention(releaseCount: count).kept(of: try entries(before), sparing: Self.version("9"))
        #expect(texts(kept) == after)
        let spared = FeedRetention(releaseCount: 1).kept(of: try entries(before), sparing: Self.version("1.0"))
        #expect(texts(spared).contains { $0.hasPrefix("1.0") } == before.contains { $0.hasPrefix("1.0") })
    }

    @Test("the highest that everyone may have is kept beside those that few may have")
    func retentionDuringRollout() throws {
        var entries = try entries(["1.3", "1.2", "1.1", "1.0"])
        entries[0].terms.rollout = try #require(Rollout(percent: 1))
        entries[1].terms.minimumShell = Self.version("9")
        let kept = FeedRetention(releaseCount: 1).kept(of: entries, sparing: Self.version("1.3"))
        #expect(kept.map(\.version.string) == ["1.3", "1.1"])
    }
}

extension FeedEntry {
    /// `1.0@beta+lts!` is version 1.0 in two channels, revoked; without `@` its entry names none.
    static func sample(_ text: String) throws -> FeedEntry {
        let parts = text.filter { $0 != "!" }.split(separator: "@", maxSplits: 1).map(String.init)
        let channels = parts.dropFirst().flatMap { $0.split(separator: "+").map(String.init) }
        return FeedEntry(
            version: try #require(BundleVersion(parts[0])),
            path: try BundlePath("\(parts[0]).zip"),
            size: 1,
            digest: Digest(of: []),
            terms: ReleaseTerms(channels: channels, isRevoked: text.hasSuffix("!"))
        )
    }
}
