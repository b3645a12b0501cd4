import Foundation
import HTTPTypes

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

extension HTTPDate {
    /// Parses a date in any of the three formats that RFC 9110 §5.6.7 requires of recipients: IMF-fixdate, the obsolete
    /// RFC 850 format, and asctime. White space around it is allowed, and names may be in any case: that section's
    /// grammar has one case only, and encourages recipients to be robust. The name of the day must be valid, but isn't
    /// compared with the date.
    ///
    /// - Parameters:
    ///   - fieldValue: For example `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///   - now: The reference for two-digit years: the latest such year that isn't more than 50 years later is taken.
    /// - Returns: nil for anything else, such as a day that the month doesn't have, or a list of dates.
    public init?(_ fieldValue: String, now: @autoclosure () -> Date = Date()) {
        // Bytes in one place are scanned several times as fast as a string's.
        var text = fieldValue
        let date = text.withUTF8 { HTTPDate(scanning: FieldScanner(UnsafeRawBufferPointer($0)), now: now()) }
        guard let date else { return nil }
        self = date
    }

    /// The same for the bytes of a field value.
    init?(_ fieldValue: UnsafeRawBufferPointer) {
        self.init(scanning: FieldScanner(fieldValue), now: Date())
    }

    private init?<Text>(scanning fieldValue: FieldScanner<Text>, now: @autoclosure () -> Date) {
        var scanner = fieldValue
        scanner.skipWhitespace()
        guard let time = scanner.calendarTime(now: now) else { return nil }
        scanner.skipWhitespace()
        guard scanner.isAtEnd else { return nil }
        self.init(time)
    }
}

extension FieldScanner {
    fileprivate mutating func calendarTime(now: () -> Date) -> CalendarTime? {
        guard let day = token() else { return nil }
        if day.count > 3, HTTPDate.weekdays.contains(where: { $0.utf8.isSameName(as: day) }) {
            return rfc850Date(now: now())
        }
        guard HTTPDate.weekdays.contains(where: { $0.utf8.prefix(3).isSameName(as: day) }) else { return nil }
        return remainder.first == UInt8(ascii: ",") ? imfFixdate() : asctimeDate()
    }

    /// `, 06 Nov 1994 08:49:37 GMT`
    private mutating func imfFixdate() -> CalendarTime? {
        guard take(", "), let day = digits(2), take(" "), let month = month(), take(" "), let year = digits(4),
            take(" "), let time = timeOfDay(), take(" GMT", ignoringCase: true)
        else { return nil }
        return CalendarTime(
            year: year,
            month: month,
            day: day,
            hour: time.hour,
            minute: time.minute,
            second: time.second
        )
    }

    /// `, 06-Nov-94 08:49:37 GMT`
    private mutating func rfc850Date(now: Date) -> CalendarTime? {
        guard take(", "), let day = digits(2), take("-"), let month = month(), take("-"), let year = digits(2),
            take(" "), let time = timeOfDay(), take(" GMT", ignoringCase: true)
        else { return nil }
        guard let current = HTTPDate(now)?.calendarTime else { return nil }
        let parts = [month, day, time.hour, time.minute, time.second]
        let currentParts = [current.month, current.day, current.hour, current.minute, current.second]
        // The last year that isn't more than 50 years later: one less when the date is later in its year than today.
        let latest = current.year + 50 - (currentParts.lexicographicallyPrecedes(parts) ? 1 : 0)
        let fullYear = latest - (latest - year) % 100
        return CalendarTime(
            year: fullYear,
            month: month,
            day: day,
            hour: time.hour,
            minute: time.minute,
            second: time.second
        )
    }

    /// ` Nov  6 08:49:37 1994`
    private mutating func asctimeDate() -> CalendarTime? {
        guard take(" "), let month = month(), take(" "), let day = take(" ") ? digits(1) : digits(2), take(" "),
            let time = timeOfDay(), take(" "), let year = digits(4)
        else { return nil }
        return CalendarTime(
            year: year,
            month: month,
            day: day,
            hour: time.hour,
            minute: time.minute,
            second: time.second
        )
    }

    private mutating func month() -> Int? {
        HTTPDate.months.firstIndex { take($0, ignoringCase: true) }.map { $0 + 1 }
    }

    private mutating func timeOfDay() -> (hour: Int, minute: Int, second: Int)? {
        guard let hour = digits(2), take(":"), let minute = digits(2), take(":"), let second = digits(2)
        else { return nil }
        return (hour, minute, second)
    }

    /// A number of exactly `count` digits.
    private mutating func digits(_ count: Int) -> Int? {
        let start = self
        guard let number = number(),
            start.remainder.distance(from: start.remainder.startIndex, to: remainder.startIndex) == count
        else {
            self = start
            return nil
        }
        return number
    }
}

extension HTTPFields {
    /// The date in the first field line called `name`; nil when there is none or it isn't a date.
    ///
    /// - Parameter responseTime: When the fields were received, which determines the century of a two-digit year.
    package func date(_ name: HTTPField.Name, receivedAt responseTime: Date) -> Date? {
        self[values: name].first.flatMap { HTTPDate($0, now: responseTime)?.date }
    }
}
