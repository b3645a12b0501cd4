import BundleStore
import Testing

@testable import BundleUpdate
@testable import bundlectl

struct UpdateSummaryTests {
    private static func entry(_ outcome: UpdateReport.Outcome, to version: String) throws -> UpdateReport {
        let (name, versions) = (BundleName("shop"), ["1.0.0", version].map { BundleVersion($0) })
        var report = UpdateReport(name, outcome, from: versions[0], to: versions[1])
        report.newByteCount = outcome == .updated ? 12_345 : nil
        return report
    }

    @Test("only changes are listed")
    func lines() throws {
        let summary = try UpdateSummary(bundles: [
            Self.entry(.upToDate, to: "1.0.0"), Self.entry(.noFeed, to: "1.0.0"), Self.entry(.failed, to: "1.0.0"),
            Self.entry(.updated, to: "1.1.0"),
        ])
        #expect(summary.lines == ["updated shop: 1.0.0 to 1.1.0 (12 KB new)"])
    }

    @Test("the document has an entry for each bundle, whatever its result")
    func document() throws {
        let text = try JSONDocument.text(of: UpdateSummary(bundles: [Self.entry(.upToDate, to: "1.0.0")]))
        #expect(
            text == """
                {
                  "bundles" : [
                    {
                      "from" : "1.0.0",
                      "name" : "shop",
                      "outcome" : "upToDate",
                      "to" : "1.0.0"
                    }
                  ]
                }

                """
        )
    }
}
