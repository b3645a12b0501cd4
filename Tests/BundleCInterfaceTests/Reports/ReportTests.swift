import CBundle
import Testing

@testable import BundleCInterface
@testable import BundleStore

@Suite("Reports for C")
struct ReportTests {
    @Test("a report has its results and its document, and nothing of another kind or number")
    func results() {
        let use = StorageUse(quota: nil, byteCount: 5, removableByteCount: 3)
        let report = Handle.make(ReportHandle(use))
        defer { ob_report_free(report) }
        #expect(ob_report_count(report) == 1)
        #expect(ob_report_quota(report, 0)?.pointee.byte_count == 5)
        #expect(ob_report_quota(report, 0)?.pointee.quota == 0)
        #expect(ob_report_quota(report, 1) == nil && ob_report_quota(report, -1) == nil)
        #expect(ob_report_prune(report, 0) == nil)
        #expect(String(cString: ob_report_json(report)) == #"{"byteCount":5,"removableByteCount":3}"#)
    }

    @Test("a report without results is a document alone")
    func document() {
        let report = Handle.make(ReportHandle(["events": [String]()]))
        defer { ob_report_free(report) }
        #expect(ob_report_count(report) == 0 && ob_report_check(report, 0) == nil)
        #expect(String(cString: ob_report_json(report)) == #"{"events":[]}"#)
    }
}
