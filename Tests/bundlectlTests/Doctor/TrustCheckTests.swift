import BundleStore
import Foundation
import Testing

@testable import BundleUpdate
@testable import bundlectl

@Suite("What doctor says of signatures")
struct TrustCheckTests {
    private static let date = Date(timeIntervalSince1970: 1_800_000_000)

    private static func warning(_ role: String, isExpired: Bool) -> TrustWarning {
        TrustWarning(name: BundleName("shop"), roles: [role], expiry: date, isExpired: isExpired)
    }

    @Test(
        "what should be signed again is a warning, and what has expired an error, each with who has to sign",
        arguments: [
            ([], .ok, "2 feeds have to be signed", nil),
            (
                [warning("timestamp", isExpired: false)], .warning,
                "shop gets no updates after 2027-01-15T08:00:00Z, unless", "feed refresh"
            ),
            ([warning("targets", isExpired: true)], .error, "shop gets no updates, since", "publish"),
            ([warning("root", isExpired: false)], .warning, "shop gets no updates after", "keys rotate root"),
        ] as [([TrustWarning], Finding.State, String, String?)]
    )
    func findings(_ warnings: [TrustWarning], _ state: Finding.State, _ text: String, _ remedy: String?) {
        let findings = TrustCheck.findings(count: 2, until: Self.date, warnings, clock: .machine)
        #expect(findings.map(\.state) == [state])
        #expect(findings.first?.message.hasPrefix(text) == true, "\(findings)")
        #expect(findings.first?.remedy.map { text in remedy.map(text.contains) ?? false } == remedy.map { _ in true })
    }

    @Test("on a device without a clock it says what that gives up", arguments: [0, 1])
    func withoutClock(_ count: Int) {
        let findings = TrustCheck.findings(count: count, until: nil, [], clock: .absent)
        #expect(findings.map(\.state) == [.ok, .ok])
        #expect(findings.last?.message.contains("holds news back for ever isn't noticed") == true)
    }
}
