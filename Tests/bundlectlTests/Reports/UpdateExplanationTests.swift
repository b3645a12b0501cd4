import BundleStore
import Foundation
import Testing

@testable import BundleNetwork
@testable import BundleUpdate
@testable import bundlectl

struct UpdateExplanationTests {
    private func decision(groups: [String] = []) throws -> UpdateDecision {
        let releases = try ["1.0.0", "1.1.0", "1.2.0"].map { version in
            FeedRelease(
                version: try #require(BundleVersion(version)),
                source: try #require(URL(string: "https://a.test/\(version).zip")),
                size: 38_543,
                digest: Digest(of: []),
                terms: ReleaseTerms(groups: groups, isCritical: version == "1.1.0", isRevoked: version == "1.2.0")
            )
        }
        return UpdatePolicy.decide(
            installed: InstalledState(active: BundleVersion("1.0.0")),
            feed: Feed(name: BundleName("shop"), releases: releases),
            device: DeviceState(cohort: nil, groups: Set(groups)),
            now: Date(timeIntervalSince1970: 0)
        )
    }

    @Test("each release is a line, the highest first")
    func lines() throws {
        #expect(
            UpdateExplanation(try decision()).lines == [
                "  VERSION   SIZE  DECISION",
                "  1.2.0    39 KB  revoked by its publisher",
                "  1.1.0    39 KB  chosen (critical)",
                "  1.0.0    39 KB  doesn't exceed 1.0.0, which is active",
            ]
        )
    }

    @Test("a group that the release is offered to, and that the installation is in, is told")
    func groups() throws {
        let explanation = UpdateExplanation(try decision(groups: ["lab"]))
        #expect(explanation.lines[2] == "  1.1.0    39 KB  chosen (for group lab, critical)")
        #expect(explanation.candidates.map(\.group) == ["lab", "lab", "lab"])
        #expect(UpdateExplanation(try decision()).candidates.allSatisfy { $0.group == nil })
    }

    @Test("the document has the same as the decision")
    func document() throws {
        let decision = try decision()
        let explanation = UpdateExplanation(decision)
        let (told, decided) = (explanation.candidates, decision.candidates)
        #expect(explanation.chosen == decision.choice?.version.string)
        #expect(told.map(\.version) == decided.map(\.release.version.string))
        let codes = told.map { $0.rejection?.code }
        #expect(codes == decided.map { $0.rejection?.code })
        let reasons = told.map { $0.rejection?.reason }
        #expect(reasons == decided.map { $0.rejection?.description })
        #expect(told.map(\.isChosen) == [false, true, false])
        #expect(explanation.feed == nil)
    }
}
