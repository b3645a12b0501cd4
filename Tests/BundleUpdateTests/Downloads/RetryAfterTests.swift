import BundleTesting
import Foundation
import HTTPTypes
import Testing

@testable import BundleUpdate

@Suite("Retry-After")
struct RetryAfterTests {
    /// Thu, 01 Jan 2026 00:00:00 GMT.
    private let now = TestClock().date

    @Test(
        "seconds and dates are understood, and a day is the most",
        arguments: [
            ("120", nil, 120), ("0", nil, 0), ("86401", nil, 86_400), ("99999999999999999999999", nil, 86_400),
            ("Thu, 01 Jan 2026 00:10:00 GMT", nil, 600), ("Wed, 31 Dec 2025 00:00:00 GMT", nil, 0),
            ("Fri, 01 Jan 2027 00:00:00 GMT", nil, 86_400),
            // By the server's clock, which is a year behind.
            ("Wed, 01 Jan 2025 00:10:00 GMT", "Wed, 01 Jan 2025 00:00:00 GMT", 600),
            ("", nil, nil), ("-1", nil, nil), ("1.5", nil, nil), ("soon", nil, nil), ("１２", nil, nil),
            ("1e9", nil, nil),
        ] as [(String, String?, Double?)]
    )
    func values(_ value: String, _ date: String?, _ seconds: Double?) {
        var head = HTTPResponse(status: .serviceUnavailable)
        head.headerFields[.retryAfter] = value
        head.headerFields[.date] = date
        #expect(RetryAfter(head, now: now)?.seconds == seconds)
    }

    @Test("only errors ask for a pause", arguments: [429, 503, 200, 301, 404, 500])
    func statuses(_ code: Int) {
        let head = HTTPResponse(status: .init(code: code), headerFields: [.retryAfter: "1"])
        #expect((RetryAfter(head, now: now) != nil) == (code >= 400))
    }
}
