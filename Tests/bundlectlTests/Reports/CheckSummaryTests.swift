import BundleStore
import Testing

@testable import BundleUpdate
@testable import bundlectl

struct CheckSummaryTests {
    private static func entry(
        _ state: CheckReport.State,
        active: String? = "1.0.0",
        available: String? = nil,
        held: String? = nil,
        isOnHold: Bool? = nil,
        isRevoked: Bool? = nil,
        failure: String? = nil
    ) throws -> CheckSummary.Entry {
        let version = { (text: String?) in text.flatMap { BundleVersion($0) } }
        var report = CheckReport(BundleName("shop"), state, active: version(active))
        report.highest = version(available ?? active)
        (report.available, report.byteCount) = (version(available), available == nil ? nil : 38_543)
        (report.held, report.isOnHold, report.isRevoked) = (version(held), isOnHold, isRevoked)
        report.failure = failure
        return CheckSummary.Entry(report: report)
    }

    @Test("a bundle is one line")
    func lines() throws {
        let summary = try CheckSummary(bundles: [
            Self.entry(.upToDate), Self.entry(.updateAvailable, available: "1.1.0"),
            Self.entry(.updateAvailable, active: nil, available: "1.1.0"), Self.entry(.upToDate, held: "1.1.0"),
            Self.entry(.noFeed), Self.entry(.upToDate, held: "1.1.0", isOnHold: true),
            Self.entry(.upToDate, failure: "no archive"),
            Self.entry(.upToDate, isRevoked: true, failure: "it is revoked"),
        ])
        #expect(
            summary.lines == [
                "shop 1.0.0: up to date",
                "shop 1.0.0: 1.1.0 is available (39 KB)",
                "shop none: 1.1.0 is available (39 KB)",
                "shop 1.0.0: up to date (held back; only a version above 1.1.0 is taken)",
                "shop 1.0.0: has no feed",
                "shop 1.0.0: up to date (on hold)",
                "shop 1.0.0: up to date (no archive)",
                "shop 1.0.0: revoked by its publisher",
            ]
        )
    }

    @Test("a failure is reported on standard error, and isn't a line here")
    func failure() throws {
        #expect(try CheckSummary(bundles: [Self.entry(.failed)]).lines.isEmpty)
    }
}
