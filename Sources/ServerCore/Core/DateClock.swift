import BundleServing
import Foundation

/// The value of `Date` (RFC 9110 §6.6.1), written once a second. For one event loop alone.
struct DateClock {
    /// The clock.
    let now: @Sendable () -> Date
    private var second: Int?
    /// An IMF-fixdate.
    private(set) var value = Array("Thu, 01 Jan 1970 00:00:00 GMT".utf8)

    init(now: @escaping @Sendable () -> Date) {
        self.now = now
        update()
    }

    /// Looks at the clock. A year that HTTP can't write leaves the value as it is.
    mutating func update() {
        guard let date = HTTPDate(now()), date.secondsSince1970 != second else { return }
        second = date.secondsSince1970
        value = Array(date.fieldValue.utf8)
    }
}
