import BundleServing
import Foundation

/// A point in time in the formats of logs: in UTC. The texts change once a second and are kept that long.
struct LogTime {
    private(set) var millisecond = 0
    /// `21/Nov/2026:12:14:31 +0000`, the format of Apache httpd.
    private(set) var common = ""
    /// `2026-11-21T12:14:31`, for RFC 3339; without fraction and zone.
    private(set) var calendar = ""

    private var second = Int.min

    mutating func advance(to date: Date) {
        let milliseconds = Int(exactly: (date.timeIntervalSince1970 * 1_000).rounded(.down)) ?? 0
        millisecond = ((milliseconds % 1_000) + 1_000) % 1_000
        let now = (milliseconds - millisecond) / 1_000
        guard now != second else { return }
        second = now
        let time = CalendarTime(clamping: now)
        let clock = [time.hour, time.minute, time.second].map(Self.twoDigits).joined(separator: ":")
        let year = String(repeating: "0", count: max(0, 4 - String(time.year).count)) + String(time.year)
        common = "\(Self.twoDigits(time.day))/\(HTTPDate.months[time.month - 1])/\(year):\(clock) +0000"
        calendar = "\(year)-\(Self.twoDigits(time.month))-\(Self.twoDigits(time.day))T\(clock)"
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
}
