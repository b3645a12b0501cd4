import Foundation
import Testing

@testable import bundlectl

struct TimestampTests {
    @Test("dates are in UTC, to the second")
    func text() {
        #expect(Timestamp.text(Date(timeIntervalSince1970: 784_111_777.9)) == "1994-11-06T08:49:37Z")
    }
}
