import BundleTesting
import Foundation
import Testing

@testable import BundleServing
@testable import HTTPCore

@Suite("Dates (RFC 9110 §5.6.7)")
struct HTTPDateTests {
    /// 2026-11-20T12:00:00Z
    private static let now = Date(timeIntervalSince1970: 1_795_176_000)

    @Test(
        "all three forms of the RFC's example are the same second",
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
            "  Sun, 06 Nov 1994 08:49:37 GMT\t", "Mon, 06 Nov 1994 08:49:37 GMT",
        ]
    )
    func forms(value: String) {
        #expect(HTTPDate(value, now: Self.now)?.secondsSince1970 == 784_111_777)
    }

    @Test(
        "the names of a date are read in any case",
        arguments: [
            "sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 06 NOV 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 gmt", "SUN, 06 nOv 1994 08:49:37 Gmt", "sunday, 06-nov-94 08:49:37 gmt",
            "SUN NOV  6 08:49:37 1994",
        ]
    )
    func anyCase(value: String) {
        #expect(HTTPDate(value, now: Self.now)?.secondsSince1970 == 784_111_777)
    }

    @Test(
        "a second is written as IMF-fixdate and read back",
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (1_709_251_199, "Thu, 29 Feb 2024 23:59:59 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
            (-62_167_219_200, "Sat, 01 Jan 0000 00:00:00 GMT"),
            (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
        ]
    )
    func format(seconds: Int, expected: String) throws {
        let date = try #require(HTTPDate(Date(timeIntervalSince1970: TimeInterval(seconds))))
        #expect(date.fieldValue == expected)
        #expect(date.description == expected)
        #expect(HTTPDate(expected) == date)
        #expect(date.date.timeIntervalSince1970 == TimeInterval(seconds))
    }

    @Test(
        "fractions of a second are truncated, before 1970 too",
        arguments: [(1.999, 1), (-0.001, -1), (-1.0, -1), (0.5, 0)]
    )
    func fractions(interval: Double, expected: Int) {
        #expect(HTTPDate(Date(timeIntervalSince1970: interval))?.secondsSince1970 == expected)
    }

    @Test(
        "a date outside years 0 to 9999 can't be written",
        arguments: [
            253_402_300_800, -62_167_219_201, .infinity, -.infinity, .nan, .greatestFiniteMagnitude, 1e19, -1e300,
        ]
    )
    func outOfRange(interval: Double) {
        #expect(HTTPDate(Date(timeIntervalSince1970: interval)) == nil)
    }

    @Test(
        "a two-digit year is the latest that isn't over 50 years away",
        arguments: [
            ("Friday, 20-Nov-26 12:00:00 GMT", 2026), ("Friday, 20-Nov-76 12:00:00 GMT", 2076),
            ("Friday, 20-Nov-76 12:00:01 GMT", 1976), ("Friday, 21-Nov-76 12:00:00 GMT", 1976),
            ("Friday, 01-Dec-76 00:00:00 GMT", 1976), ("Friday, 01-Jan-76 00:00:00 GMT", 2076),
            ("Friday, 01-Jan-77 00:00:00 GMT", 1977), ("Friday, 31-Dec-99 23:59:59 GMT", 1999),
            ("Saturday, 01-Jan-00 00:00:00 GMT", 2000), ("Tuesday, 29-Feb-00 00:00:00 GMT", 2000),
        ]
    )
    func twoDigitYear(value: String, year: Int) throws {
        let date = try #require(HTTPDate(value, now: Self.now))
        #expect(date.calendarTime.year == year)
    }

    @Test("a two-digit year crosses the century with the clock")
    func nextCentury() throws {
        let date = try #require(
            HTTPDate("Friday, 01-Jan-10 00:00:00 GMT", now: Date(timeIntervalSince1970: 3_950_000_000))
        )
        #expect(date.calendarTime.year == 2110)
    }

    @Test("a leap second is the next minute's first, and the last possible one doesn't trap")
    func leapSecond() {
        #expect(HTTPDate("Sat, 31 Dec 2016 23:59:60 GMT") == HTTPDate("Sun, 01 Jan 2017 00:00:00 GMT"))
        #expect(HTTPDate("Fri, 31 Dec 9999 23:59:60 GMT")?.fieldValue == "Fri, 31 Dec 9999 23:59:59 GMT")
    }

    @Test(
        "anything else isn't a date",
        arguments: [
            "", " ", "0", "784111777", "Sun", "Sun,", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
            "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 1994 08:49:37 utc", "\u{17F}un, 06 Nov 1994 08:49:37 GMT",
            "Xxx, 06 Nov 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
            "Sun, 006 Nov 1994 08:49:37 GMT", "Sun,  06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
            "Sun, 06 Nov 19940 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT",
            "Sun, 29 Feb 1900 08:49:37 GMT", "Sun, 29 Feb 2023 08:49:37 GMT", "Sun, 30 Feb 2024 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
            "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 08:49:37 GMT x",
            "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06 Nov 1994 08:49:37 GMT",
            "Sun, 06-Nov-94 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37",
            "Sun Nov 6 08:49:37 1994", "Sun Nov 06 08:49:37 1994 GMT", "Sun Nov  6 08:49:37 94",
            "Sun Nov  06 08:49:37 1994", "Sun Nov 31 08:49:37 1994", "1994-11-06T08:49:37Z",
            "Sun, 06 Nov 99999999999999999999999 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:99999999999999999999 GMT",
            "Sün, 06 Nov 1994 08:49:37 GMT", "\u{0}", "Sun, 06 Nov -994 08:49:37 GMT",
        ]
    )
    func malformed(value: String) {
        #expect(HTTPDate(value, now: Self.now) == nil)
    }

    @Test("an asctime day may have two digits")
    func asctimeTwoDigits() {
        #expect(HTTPDate("Sat Nov 26 08:49:37 1994") == HTTPDate("Sat, 26 Nov 1994 08:49:37 GMT"))
    }

    @Test("any second is read back as written")
    func roundTrip() throws {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<5_000 {
            let seconds = Int.random(in: CalendarTime.range, using: &generator)
            let date = try #require(HTTPDate(Date(timeIntervalSince1970: TimeInterval(seconds))))
            #expect(date.secondsSince1970 == seconds)
            #expect(HTTPDate(date.fieldValue) == date)
            #expect(date.fieldValue.utf8.count == 29)
        }
    }

    @Test("the calendar agrees with Foundation's")
    func foundation() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<500 {
            // From 1600 on, because Foundation's calendar is the Julian one before 1582.
            let seconds = Int.random(in: -11_676_096_000...253_402_300_799, using: &generator)
            let time = CalendarTime(clamping: seconds)
            let parts = calendar.dateComponents(
                [.year, .month, .day, .hour, .minute, .second, .weekday],
                from: Date(timeIntervalSince1970: TimeInterval(seconds))
            )
            #expect([time.year, time.month, time.day, time.hour] == [parts.year, parts.month, parts.day, parts.hour])
            #expect([time.minute, time.second, time.weekday + 1] == [parts.minute, parts.second, parts.weekday])
        }
    }

    @Test("garbage is read as nil or as a date, and never traps")
    func garbage() {
        var generator = SeededGenerator(seed: 3)
        let pieces = [
            "Sun", "Sunday", ", ", " ", "06", "Nov", "-", "94", "1994", "9999", ":", "60", "GMT", "é", "\u{0}", "0",
        ]
        for _ in 0..<5_000 {
            let text = generator.text(of: pieces)
            if let date = HTTPDate(text, now: Self.now) { #expect(HTTPDate(date.fieldValue) == date, "\(text)") }
        }
    }
}
