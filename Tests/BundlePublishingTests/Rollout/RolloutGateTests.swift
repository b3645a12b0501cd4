import Foundation
import Testing

@testable import BundlePublishing
@testable import BundleUpdate

@Suite("The gate of a rollout")
struct RolloutGateTests {
    typealias Gate = RolloutGate

    private static let start = Date(timeIntervalSince1970: 1_767_225_600)

    private static func share(_ percent: Double) -> Rollout { Rollout(percent: percent)! }

    /// Steps of 1, 10, 50 and 100 %, an hour each; 2 % of at least 30 may be bad.
    private static func gate(holdsOnly: Bool = false) -> Gate {
        Gate(
            steps: [50, 1, 100, 10].map(share),
            soak: 3_600,
            maximumBad: share(2),
            least: 30,
            holdsOnly: holdsOnly
        )
    }

    /// A decision `minutes` after the present share has begun; nil where the feed doesn't say when it did.
    private struct Case {
        let name: String
        var percent = 1.0
        var minutes: Double? = 60
        let evidence: Gate.Evidence
        var isRevoked = false
        let decision: Gate.Decision
    }

    private static let nobody = "no installation tells of the release"

    private static let cases: [Case] = [
        Case(
            name: "enough have it, and it is good",
            evidence: .counted(active: 30, bad: 0),
            decision: .raise(to: share(10))
        ),
        Case(
            name: "the next step",
            percent: 10,
            evidence: .counted(active: 300, bad: 6),
            decision: .raise(to: share(50))
        ),
        Case(
            name: "the last one",
            percent: 50,
            evidence: .counted(active: 999, bad: 1),
            decision: .raise(to: share(100))
        ),
        Case(
            name: "a share between steps",
            percent: 20,
            evidence: .counted(active: 99, bad: 0),
            decision: .raise(to: share(50))
        ),
        Case(
            name: "the soak isn't over",
            minutes: 59,
            evidence: .counted(active: 999, bad: 0),
            decision: .hold(.soaking(until: start + 3_600))
        ),
        Case(
            name: "the clock was set back",
            minutes: -60,
            evidence: .counted(active: 999, bad: 0),
            decision: .hold(.soaking(until: start + 3_600))
        ),
        Case(
            name: "nobody knows since when",
            minutes: nil,
            evidence: .counted(active: 999, bad: 0),
            decision: .hold(.startsNow)
        ),
        Case(
            name: "too few have it",
            evidence: .counted(active: 29, bad: 0),
            decision: .hold(.fewInstallations(29))
        ),
        Case(name: "none has it", evidence: .counted(active: 0, bad: 0), decision: .hold(.fewInstallations(0))),
        Case(name: "nothing is known", evidence: .none, decision: .hold(.noEvidence(nobody))),
        Case(
            name: "nothing is known yet",
            minutes: 5,
            evidence: .none,
            decision: .hold(.soaking(until: start + 3_600))
        ),
        Case(name: "the query failed", evidence: .failed("it is down"), decision: .hold(.noEvidence("it is down"))),
        Case(
            name: "the query failed during the soak",
            minutes: 5,
            evidence: .failed("it is down"),
            decision: .hold(.noEvidence("it is down"))
        ),
        Case(name: "bad", evidence: .counted(active: 100, bad: 3), decision: .revoke(badPercent: 3)),
        Case(name: "as bad as it may be", evidence: .counted(active: 100, bad: 2), decision: .raise(to: share(10))),
        Case(
            name: "bad, during the soak",
            minutes: 1,
            evidence: .counted(active: 100, bad: 3),
            decision: .revoke(badPercent: 3)
        ),
        Case(
            name: "bad, at an unknown time",
            minutes: nil,
            evidence: .counted(active: 50, bad: 50),
            decision: .revoke(badPercent: 100)
        ),
        Case(name: "bad on all of too few", evidence: .counted(active: 3, bad: 3), decision: .revoke(badPercent: 10)),
        Case(
            name: "more are bad than have it",
            evidence: .counted(active: 10, bad: 40),
            decision: .revoke(badPercent: 100)
        ),
        Case(
            name: "bad in the groups",
            percent: 0,
            evidence: .counted(active: 9, bad: 9),
            decision: .revoke(badPercent: 30)
        ),
        Case(name: "the start", percent: 0, minutes: 0, evidence: .none, decision: .raise(to: share(1))),
        Case(
            name: "the start, where nobody can be asked",
            percent: 0,
            evidence: .failed("it is down"),
            decision: .hold(.noEvidence("it is down"))
        ),
        Case(name: "all have it", percent: 100, minutes: nil, evidence: .counted(active: 999, bad: 1), decision: .done),
        Case(
            name: "all have it, and nobody can be asked",
            percent: 100,
            evidence: .failed("it is down"),
            decision: .done
        ),
        Case(
            name: "all have it, and it is bad",
            percent: 100,
            evidence: .counted(active: 100, bad: 9),
            decision: .revoke(badPercent: 9)
        ),
        Case(name: "revoked", evidence: .counted(active: 100, bad: 0), isRevoked: true, decision: .hold(.revoked)),
    ]

    @Test("what it knows decides, and what it doesn't know holds", arguments: cases.indices)
    func decision(_ index: Int) {
        let row = Self.cases[index]
        let offer = Gate.Offer(
            share: Self.share(row.percent),
            since: row.minutes == nil ? nil : Self.start,
            isRevoked: row.isRevoked
        )
        let now = Self.start + (row.minutes ?? 0) * 60
        #expect(Self.gate().decide(offer, row.evidence, at: now) == row.decision, "\(row.name)")
    }

    @Test("a bad release is only held where that is wanted")
    func holdsOnly() {
        let offer = Gate.Offer(share: Self.share(10), since: Self.start)
        let decision = Self.gate(holdsOnly: true).decide(offer, .counted(active: 100, bad: 5), at: Self.start)
        #expect(decision == .hold(.bad(percent: 5)))
    }

    @Test(
        "no missing evidence raises a share or revokes, at any time and share",
        arguments: [Gate.Evidence.none, .failed("x")]
    )
    func missing(_ evidence: Gate.Evidence) {
        for percent in [1.0, 10, 33, 50, 100] {
            for seconds in [-1.0, 0, 3_600, 1_000_000] {
                let offer = Gate.Offer(share: Self.share(percent), since: Self.start)
                switch Self.gate().decide(offer, evidence, at: Self.start + seconds) {
                case .raise, .revoke: Issue.record("\(percent)% after \(seconds) s")
                case .hold, .done: break
                }
            }
        }
    }
}
