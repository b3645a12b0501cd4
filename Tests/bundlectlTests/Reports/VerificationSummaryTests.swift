import Testing

@testable import bundlectl

struct VerificationSummaryTests {
    @Test("sizes of a damaged catalog don't end the program", arguments: [[.max, .max], [.min, -1], [.max, .min]])
    func damagedSizes(_ byteCounts: [Int64]) {
        let summary = VerificationSummary([], byteCounts: byteCounts)
        #expect(summary.releaseCount == 2)
        #expect(summary.lines.count == 1)
    }

    @Test("sizes are added up")
    func sum() {
        #expect(VerificationSummary([], byteCounts: [1_000, 24]).byteCount == 1_024)
    }
}
