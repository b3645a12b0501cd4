import Foundation

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
