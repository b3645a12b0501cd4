import BundleStore
import BundleTesting
import Foundation
import Testing

@testable import BundleUpdate

/// A release of a feed in a table: its version, and what its entry says.
private struct Offer {
    var version: String
    var terms: ReleaseTerms
    var trust = ReleaseTrust.notRequired

    init(_ version: String, _ change: (inout ReleaseTerms) -> Void = { _ in }) {
        self.version = version
        terms = ReleaseTerms()
        change(&terms)
    }

    func release() throws -> FeedRelease {
        FeedRelease(
            version: try #require(BundleVersion(version)),
            source: try #require(URL(string: "https://a/\(version).zip")),
            size: 1,
            digest: Digest(of: Array(version.utf8)),
            terms: terms,
            trust: trust
        )
    }
}

@Suite("UpdatePolicy")
struct UpdatePolicyTests {
    private static let now = Date(timeIntervalSince1970: 1_767_225_600)

    private func feed(_ offers: [Offer], sequence: Int64? = nil) throws -> Feed {
        Feed(name: BundleName("shop"), sequence: sequence, releases: try offers.map { try $0.release() })
    }

    private func installed(
        _ active: String?,
        _ change: (inout InstalledState) -> Void = { _ in }
    ) throws -> InstalledState {
        var state = InstalledState(active: try active.map { try #require(BundleVersion($0)) })
        change(&state)
        return state
    }

    private func decide(
        _ installed: InstalledState,
        _ offers: [Offer],
        sequence: Int64? = nil,
        device: DeviceState = DeviceState(cohort: Cohort(position: 50))
    ) throws -> UpdateDecision {
        UpdatePolicy.decide(
            installed: installed,
            feed: try feed(offers, sequence: sequence),
            device: device,
            now: Self.now
        )
    }

    /// `1.0@beta` is version 1.0 in the channel beta; without `@` its entry names none.
    private func offer(_ text: String) -> Offer {
        let parts = text.split(separator: "@", maxSplits: 1).map(String.init)
        return Offer(parts[0]) { $0.channels = parts.dropFirst().flatMap { $0.split(separator: "+").map(String.init) } }
    }

    @Test(
        "a higher version in the channel is an update, whichever the order of the feed",
        arguments: [
            ("1.0.0", ["1.1.0"], "1.1.0"), ("1.9", ["1.10"], "1.10"),
            ("1.0.0", ["1.2.0", "1.10.0", "1.9.0"], "1.10.0"),
            (nil, ["0.0.1"], "0.0.1"), (nil, ["1.0", "2.0@beta"], "1.0"),
            ("1.0.0", ["1.1.0@stable", "2.0.0@beta"], "1.1.0"), ("1.0.0", ["1.1.0@beta+stable"], "1.1.0"),
            ("1.0.0", ["1.1.0-rc.1@stable"], "1.1.0-rc.1"), ("1.1.0-rc.1", ["1.1.0"], "1.1.0"),
            ("1.0.0-beta.2", ["1.0.0-beta.11@stable"], "1.0.0-beta.11"), ("20261119.9", ["20261120.1"], "20261120.1"),
        ] as [(String?, [String], String)]
    )
    func update(_ local: String?, _ offered: [String], _ expected: String) throws {
        let decision = try decide(installed(local), offered.map(offer))
        #expect(decision.choice?.version.string == expected)
        #expect(decision.failure == nil)
    }

    @Test(
        "a lower or equal version, another channel's, or an unnamed pre-release changes nothing",
        arguments: [
            ("1.0.0", ["1.0.0"], "1.0.0"), ("1.2.0", ["1.2"], "1.2"), ("1.0.0", ["0.9.0"], "0.9.0"),
            ("1.10", ["1.9"], "1.9"), ("1.0.0", ["1.0.0-rc.9@stable"], "1.0.0-rc.9"),
            ("1.0.0+a", ["1.0.0+b"], "1.0.0+b"), ("1.0.0", ["2.0.0@beta"], nil),
            ("1.0.0", ["1.0.0", "2.0.0@Stable"], "1.0.0"), ("1.0.0", [], nil), (nil, [], nil),
            (nil, ["1.0.0@beta"], nil), ("1.2.0", ["1.3.0-rc.1"], nil), ("1.0.0", ["1.3.0-rc.1", "1.0.0"], "1.0.0"),
        ] as [(String?, [String], String?)]
    )
    func upToDate(_ local: String?, _ offered: [String], _ highest: String?) throws {
        let decision = try decide(installed(local), offered.map(offer))
        #expect(decision.choice == nil)
        #expect(decision.highest?.string == highest)
    }

    @Test("a client of another channel gets only what names its channel")
    func otherChannel() throws {
        let offers = ["1.1.0", "1.2.0@beta", "1.3.0-rc.1", "1.2.1-rc.1@beta"].map(offer)
        let decision = try decide(installed("1.0.0") { $0.channel = "beta" }, offers)
        #expect(decision.choice?.version.string == "1.2.1-rc.1")
        #expect(
            decision.candidates.map { $0.rejection?.code }
                == ["unnamedPreRelease", nil, "lowerThanChoice", "otherChannel"]
        )
    }

    /// A case in which a rule applies, or just doesn't.
    private struct Case {
        let name: String
        let offer: Offer
        let change: @Sendable (inout InstalledState) -> Void
        let device: DeviceState
        let expected: UpdateRejection?

        init(
            _ name: String,
            _ offer: Offer,
            _ change: @escaping @Sendable (inout InstalledState) -> Void,
            _ device: DeviceState,
            _ expected: UpdateRejection?
        ) {
            (self.name, self.offer, self.change, self.device, self.expected) = (name, offer, change, device, expected)
        }
    }

    private static let cases: [Case] = [
        Case("nothing is against it", Offer("1.1.0"), { _ in }, DeviceState(cohort: Cohort(position: 99.9)), nil),
        Case("revoked", Offer("1.1.0") { $0.isRevoked = true }, { _ in }, DeviceState(cohort: nil), .revoked),
        Case(
            "other channel",
            Offer("1.1.0") { $0.channels = ["beta", "nightly"] },
            { _ in },
            DeviceState(cohort: nil),
            .otherChannel(["beta", "nightly"])
        ),
        Case("pre-release", Offer("1.1.0-rc.1"), { _ in }, DeviceState(cohort: nil), .unnamedPreRelease),
        Case("lower", Offer("0.9"), { _ in }, DeviceState(cohort: nil), .lowerOrEqual(active: BundleVersion("1.0.0"))),
        Case("on hold", Offer("1.1.0"), { $0.isOnHold = true }, DeviceState(cohort: nil), .onHold),
        Case(
            "held back",
            Offer("1.1.0"),
            { $0.held = BundleVersion("1.1.0") },
            DeviceState(cohort: nil),
            .heldBack(BundleVersion("1.1.0"))
        ),
        Case(
            "above what is held back",
            Offer("1.1.1"),
            { $0.held = BundleVersion("1.1.0") },
            DeviceState(cohort: nil),
            nil
        ),
        Case(
            "old shell",
            Offer("1.1.0") { $0.minimumShell = BundleVersion("2.0") },
            { _ in },
            DeviceState(cohort: nil, shell: BundleVersion("1.9")),
            .shellTooOld(minimum: BundleVersion("2.0"), shell: BundleVersion("1.9"))
        ),
        Case(
            "unknown shell",
            Offer("1.1.0") { $0.minimumShell = BundleVersion("2.0") },
            { _ in },
            DeviceState(cohort: nil),
            .shellTooOld(minimum: BundleVersion("2.0"), shell: nil)
        ),
        Case(
            "new shell",
            Offer("1.1.0") { $0.minimumShell = BundleVersion("2.0") },
            { _ in },
            DeviceState(cohort: nil, shell: BundleVersion("2.0.0")),
            nil
        ),
        Case(
            "failed before",
            Offer("1.1.0"),
            { $0.failures = [failure("1.1.0", of: "1.1.0")] },
            DeviceState(cohort: nil),
            .failedBefore(reason: "no archive")
        ),
        Case(
            "another archive failed before",
            Offer("1.1.0"),
            { $0.failures = [failure("1.1.0", of: "another archive")] },
            DeviceState(cohort: nil),
            nil
        ),
        Case(
            "outside the rollout",
            Offer("1.1.0") { $0.rollout = Rollout(percent: 10)! },
            { _ in },
            DeviceState(cohort: Cohort(position: 10)),
            .outsideRollout(Rollout(percent: 10)!, cohort: Cohort(position: 10))
        ),
        Case(
            "inside the rollout",
            Offer("1.1.0") { $0.rollout = Rollout(percent: 10)! },
            { _ in },
            DeviceState(cohort: Cohort(position: 9.999)),
            nil
        ),
        Case(
            "no place in the rollout",
            Offer("1.1.0") { $0.rollout = Rollout(percent: 99.9)! },
            { _ in },
            DeviceState(cohort: nil),
            .outsideRollout(Rollout(percent: 99.9)!, cohort: nil)
        ),
        Case("seen feed", Offer("1.1.0"), { $0.highestSequence = 7 }, DeviceState(cohort: nil), nil),
        Case(
            "older feed",
            Offer("1.1.0"),
            { $0.highestSequence = 8 },
            DeviceState(cohort: nil),
            .olderFeed(sequence: 7, seen: 8)
        ),
    ]

    private static func failure(_ version: String, of archive: String) -> FailedRelease {
        FailedRelease(
            version: BundleVersion(version)!,
            digest: Digest(of: Array(archive.utf8)),
            reason: "no archive",
            date: now
        )
    }

    @Test("each rule rejects with its reason, and only what it is about", arguments: cases.indices)
    func reason(_ index: Int) throws {
        let row = Self.cases[index]
        let decision = try decide(installed("1.0.0", row.change), [row.offer], sequence: 7, device: row.device)
        #expect(decision.candidates.map(\.rejection) == [row.expected], "\(row.name)")
        #expect((decision.choice == nil) == (row.expected != nil), "\(row.name)")
    }

    /// The reasons in the order of Updates.md.
    private static func documentedReasons() throws -> [String] {
        let text = try Project.text("Sources/BundleUpdate/BundleUpdate.docc/Updates.md")
        let section = text.components(separatedBy: "\n## Which release is chosen\n")[1].components(
            separatedBy: "\n## "
        )[0]
        return section.matches(of: /\n\| `(\w+)` \|/).map { String($0.output.1) }
    }

    /// Each line takes away the reason that the line before was rejected for.
    @Test("the reasons are told in a fixed order")
    func order() throws {
        var state = try installed("2.0.0") { state in
            state.highestSequence = 9
            state.isOnHold = true
            state.held = BundleVersion("3.0.0")
        }
        var offer = Offer("1.9.0-rc.1") { terms in
            terms.isRevoked = true
            terms.minimumShell = BundleVersion("5")
            terms.rollout = Rollout(percent: 0)!
        }
        offer.trust = .refused(reason: "no target")
        var device = DeviceState(cohort: Cohort(position: 50))
        var sequence: Int64 = 8
        let steps: [(String, () -> Void)] = [
            ("olderFeed", { sequence = 9 }), ("revoked", { offer.terms.isRevoked = false }),
            ("unnamedPreRelease", { offer.terms.channels = ["beta"] }),
            ("otherChannel", { offer.terms.channels = ["stable"] }), ("lowerOrEqual", { offer.version = "2.5.0" }),
            ("onHold", { state.isOnHold = false }), ("heldBack", { state.held = nil }),
            ("untrusted", { offer.trust = .vouched(filesDigest: Digest(of: [])) }),
            ("shellTooOld", { device.shell = BundleVersion("5") }), ("failedBefore", { state.failures = [] }),
            ("outsideRollout", { offer.terms.rollout = .everyone }),
        ]
        #expect(try Self.documentedReasons() == steps.map(\.0) + ["lowerThanChoice"])
        for (code, remove) in steps {
            if code == "failedBefore" { state.failures = [Self.failure("2.5.0", of: "2.5.0")] }
            let decision = try decide(state, [offer], sequence: sequence, device: device)
            #expect(decision.candidates.map { $0.rejection?.code } == [code])
            remove()
        }
        #expect(try decide(state, [offer], sequence: sequence, device: device).choice?.version.string == "2.5.0")
    }

    @Test("every release of the feed is a candidate, the highest first, and only one is chosen")
    func candidates() throws {
        let offers = [
            Offer("1.0.0"), Offer("1.4.0") { $0.isRevoked = true }, Offer("1.2.0"), Offer("1.1.0"),
            Offer("1.3.0") { $0.rollout = Rollout(percent: 10)! },
        ]
        let decision = try decide(installed("1.0.0"), offers)
        #expect(
            decision.candidates.map { "\($0.release.version): \($0.rejection?.code ?? "chosen")" } == [
                "1.4.0: revoked", "1.3.0: outsideRollout", "1.2.0: chosen", "1.1.0: lowerThanChoice",
                "1.0.0: lowerOrEqual",
            ]
        )
        #expect(decision.date == Self.now)
        #expect(decision.highest?.string == "1.3.0")
    }

    @Test(
        "a bundle whose active version is revoked takes the highest that is left, even a lower one",
        arguments: [
            ("2.0.0", nil, false, "1.1.0"), ("1.5.0", nil, false, nil), ("2.0.0", "2.0.0", false, "1.1.0"),
            ("2.0.0", "3.0.0", false, "1.1.0"), ("2.0.0", nil, true, nil),
        ] as [(String, String?, Bool, String?)]
    )
    func activeRevoked(_ active: String, _ held: String?, _ isOnHold: Bool, _ expected: String?) throws {
        let state = try installed(active) { state in
            state.held = held.flatMap(BundleVersion.init)
            state.isOnHold = isOnHold
        }
        let decision = try decide(state, [Offer("2.0.0") { $0.isRevoked = true }, Offer("1.1.0"), Offer("1.0.0")])
        #expect(decision.choice?.version.string == expected)
    }

    @Test("a revoked active version without a replacement is a failure, and stays")
    func nothingInPlace() throws {
        let decision = try decide(installed("2.0.0"), [Offer("2.0.0") { $0.isRevoked = true }])
        #expect(decision.choice == nil)
        #expect(decision.revokedActive?.string == "2.0.0")
        #expect(decision.failure == "2.0.0, which is active, is revoked, and nothing can be installed in its place")
    }

    @Test("a higher version that was rolled back isn't taken in place of a revoked one")
    func heldAndRevoked() throws {
        let state = try installed("1.1.0") { $0.held = BundleVersion("1.2.0") }
        let decision = try decide(state, [Offer("1.2.0"), Offer("1.1.0") { $0.isRevoked = true }, Offer("1.0.0")])
        #expect(decision.choice?.version.string == "1.0.0")
    }

    @Test(
        "a feed with a lower number than one seen, or without one, is refused as a whole, even if it is empty",
        arguments: [(7, 7, false), (8, 7, false), (nil, nil, false), (6, 7, true), (nil, 7, true), (nil, 1, true)]
            as [(Int64?, Int64?, Bool)]
    )
    func olderFeed(_ sequence: Int64?, _ seen: Int64?, _ isOlder: Bool) throws {
        let state = try installed("1.0.0") { $0.highestSequence = seen }
        let decision = try decide(state, [Offer("1.1.0"), Offer("0.9.0")], sequence: sequence)
        #expect((decision.feedRejection != nil) == isOlder)
        #expect((decision.failure != nil) == isOlder)
        #expect((decision.choice == nil) == isOlder)
        #expect(decision.candidates.allSatisfy { ($0.rejection?.code == "olderFeed") == isOlder })
        #expect((try decide(state, [], sequence: sequence).failure != nil) == isOlder)
    }

    @Test("what would be chosen but can't be used is why there is no update, unless a lower one is chosen")
    func failures() throws {
        let state = try installed("1.0.0") { $0.failures = [Self.failure("1.2.0", of: "1.2.0")] }
        #expect(try decide(state, [Offer("1.2.0")]).failure == "no archive")
        #expect(try decide(state, [Offer("1.2.0"), Offer("1.1.0")]).failure == nil)
        #expect(try decide(state, [Offer("1.2.0"), Offer("1.1.0")]).choice?.version.string == "1.1.0")
        #expect(try decide(state, [Offer("1.2.1")]).failure == nil)
    }

    @Test(
        "a reason is a sentence for people",
        arguments: [
            (.olderFeed(sequence: 3, seen: 5), "the feed is older than one seen: it has number 3, after 5"),
            (.olderFeed(sequence: nil, seen: 5), "the feed is older than one seen: it has no number, after 5"),
            (.otherChannel(["beta", "a\u{1B}b"]), #"offered in beta, a\u{1b}b only"#),
            (
                .outsideRollout(Rollout(percent: 12.5)!, cohort: Cohort(position: 12.509)),
                "offered to 12.5% of the installations; this one is at 12.50%"
            ),
            (
                .outsideRollout(Rollout(percent: 5)!, cohort: Cohort(position: 5)),
                "offered to 5% of the installations; this one is at 5.00%"
            ),
            (.failedBefore(reason: "two\nlines"), #"failed before: two\u{a}lines"#),
        ] as [(UpdateRejection, String)]
    )
    func sentences(_ rejection: UpdateRejection, _ sentence: String) {
        #expect(rejection.description == sentence)
    }
}
