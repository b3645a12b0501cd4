/// A second of the proleptic Gregorian calendar in UTC, years 0 to 9999.
package struct CalendarTime: Equatable {
    package let year: Int
    package let month: Int
    package let day: Int
    package let hour: Int
    package let minute: Int
    package let second: Int

    /// Returns nil for an invalid date or time. A second of 60 is a leap second, which counts as the first one of the
    /// next minute.
    init?(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        guard (0...9_999).contains(year), (1...12).contains(month),
            (1...Self.dayCount(year: year, month: month)).contains(day),
            (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
        else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
        (self.hour, self.minute, self.second) = (hour, minute, second)
    }

    /// The calendar time of a number of seconds since 1970, clamped to ``range``.
    package init(clamping secondsSince1970: Int) {
        let total = min(max(secondsSince1970, Self.range.lowerBound), Self.range.upperBound)
        let (days, seconds) = total.quotientAndRemainder(flooredBy: 86_400)
        (year, month, day) = Self.date(daysSince1970: days)
        (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60)
    }

    var secondsSince1970: Int {
        Self.daysSince1970(year: year, month: month, day: day) * 86_400 + hour * 3_600 + minute * 60 + second
    }

    /// 0 for Sunday.
    var weekday: Int {
        (Self.daysSince1970(year: year, month: month, day: day) + 4).quotientAndRemainder(flooredBy: 7).remainder
    }

    /// 0000-01-01T00:00:00 to 9999-12-31T23:59:59.
    static let range = -62_167_219_200...253_402_300_799

    private static func dayCount(year: Int, month: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func isLeap(_ year: Int) -> Bool {
        year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    }

    // Both conversions count years from March, so that the leap day is a year's last, and in eras of 400 years, which
    // all have 146,097 days. 719,468 days lie between 0000-03-01 and 1970-01-01.

    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let (era, yearOfEra) = (month > 2 ? year : year - 1).quotientAndRemainder(flooredBy: 400)
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func date(daysSince1970: Int) -> (year: Int, month: Int, day: Int) {
        let (era, day) = (daysSince1970 + 719_468).quotientAndRemainder(flooredBy: 146_097)
        let yearOfEra = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }
}

extension Int {
    /// Division whose remainder is never negative, for a positive divisor.
    fileprivate func quotientAndRemainder(flooredBy divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
