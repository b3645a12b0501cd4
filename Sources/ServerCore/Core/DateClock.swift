import Foundation
import HTTPCore

/// The value of `Date` (RFC 9110 §6.6.1), formatted once a second. For use on one event loop.
struct DateClock {
    let now: @Sendable () -> Date
    private var second: Int?
    /// An IMF-fixdate.
    private(set) var value = Array("Thu, 01 Jan 1970 00:00:00 GMT".utf8)

    init(now: @escaping @Sendable () -> Date) {
        self.now = now
        update()
    }

    /// Reads the clock. A year that HTTP can't express leaves the value unchanged.
    mutating func update() {
        guard let date = HTTPDate(now()), date.secondsSince1970 != second else { return }
        second = date.secondsSince1970
        value = Array(date.fieldValue.utf8)
    }
}
