import Testing

@testable import bundlectl

struct UpdateSummaryTests {
    private static func entry(_ outcome: UpdateSummary.Outcome, to version: String) -> UpdateSummary.Entry {
        UpdateSummary.Entry(
            name: "shop",
            outcome: outcome,
            from: "1.0.0",
            to: version,
            newByteCount: outcome == .updated ? 12_345 : nil,
            error: nil
        )
    }

    @Test("only changes are listed")
    func lines() {
        let summary = UpdateSummary(bundles: [
            Self.entry(.upToDate, to: "1.0.0"), Self.entry(.noFeed, to: "1.0.0"), Self.entry(.failed, to: "1.0.0"),
            Self.entry(.updated, to: "1.1.0"),
        ])
        #expect(summary.lines == ["updated shop: 1.0.0 to 1.1.0 (12 KB new)"])
    }

    @Test("the document has an entry for each bundle, whatever its result")
    func document() throws {
        let text = JSONDocument.text(of: UpdateSummary(bundles: [Self.entry(.upToDate, to: "1.0.0")]))
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
