import Foundation

/// A point in time in HTTP: whole seconds in UTC, years 0 to 9999 (RFC 9110 §5.6.7).
///
/// A value type; safe to share between threads. It uses no formatter and no locale.
public struct HTTPDate: Hashable, Sendable {
    /// Seconds since 1970-01-01T00:00:00Z, leap seconds not counted.
    public let secondsSince1970: Int

    /// Truncates `date` to its second. Returns nil when it isn't in years 0 to 9999, as HTTP requires.
    public init?(_ date: Date) {
        guard let seconds = Int(exactly: date.timeIntervalSince1970.rounded(.down)),
            CalendarTime.range.contains(seconds)
        else { return nil }
        secondsSince1970 = seconds
    }

    var calendarTime: CalendarTime { CalendarTime(clamping: secondsSince1970) }

    init(_ time: CalendarTime) {
        // Only a leap second at the end of year 9999 would leave the range.
        secondsSince1970 = min(time.secondsSince1970, CalendarTime.range.upperBound)
    }

    /// The same point in time.
    public var date: Date { Date(timeIntervalSince1970: TimeInterval(secondsSince1970)) }

    /// The date as IMF-fixdate, the only format to send: `Sun, 06 Nov 1994 08:49:37 GMT`.
    public var fieldValue: String {
        let time = calendarTime
        var text: [UInt8] = []
        text.reserveCapacity(29)
        text += Self.weekdays[time.weekday].utf8.prefix(3)
        text += ", ".utf8
        Self.append(time.day, digits: 2, to: &text)
        text += " \(Self.months[time.month - 1]) ".utf8
        Self.append(time.year, digits: 4, to: &text)
        for (separator, number) in [(" ", time.hour), (":", time.minute), (":", time.second)] {
            text += separator.utf8
            Self.append(number, digits: 2, to: &text)
        }
        text += " GMT".utf8
        return String(decoding: text, as: UTF8.self)
    }

    private static func append(_ number: Int, digits: Int, to text: inout [UInt8]) {
        let all = [number / 1_000, number / 100 % 10, number / 10 % 10, number % 10]
        text += all.suffix(digits).map { UInt8(ascii: "0") + UInt8($0) }
    }

    static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    /// The abbreviations of the months, which logs use too.
    package static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}

extension HTTPDate: Comparable {
    /// Whether `left` is earlier.
    public static func < (left: HTTPDate, right: HTTPDate) -> Bool {
        left.secondsSince1970 < right.secondsSince1970
    }
}

extension HTTPDate: CustomStringConvertible {
    /// The same as ``fieldValue``.
    public var description: String { fieldValue }
}
