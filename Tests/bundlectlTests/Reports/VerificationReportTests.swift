import BundleStore
import Testing

@testable import bundlectl

struct VerificationReportTests {
    @Test("sizes of a damaged catalog don't end the program", arguments: [[.max, .max], [.min, -1], [.max, .min]])
    func damagedSizes(_ byteCounts: [Int64]) {
        let summary = VerificationReport([], byteCounts: byteCounts, message: Advice.line)
        #expect(summary.releaseCount == 2)
        #expect(summary.lines.count == 1)
    }

    @Test("sizes are added up")
    func sum() {
        #expect(VerificationReport([], byteCounts: [1_000, 24], message: Advice.line).byteCount == 1_024)
    }
}
