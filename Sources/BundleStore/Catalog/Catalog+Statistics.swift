import Foundation
import GRDB

extension BundleStore {
    /// Adds to the statistics in one transaction. What other processes add is added too, and not replaced.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the store can't be written; nothing is
    ///   added then.
    package func addStatistics(
        _ addition: StatisticsAddition,
        at date: Date,
        within limits: StatisticsLimits = StatisticsLimits()
    ) throws {
        try Self.accessing(path) { try catalog.addStatistics(addition, at: date, within: limits) }
    }

    /// The statistics of a bundle, or of all bundles.
    ///
    /// - Parameters:
    ///   - start: Since when: from the beginning of the hour or, for what is kept by the day, of the day (UTC) that it is
    ///     in; nil for all that is kept.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the catalog can't be read.
    package func statistics(of bundle: BundleName?, since start: Date?) throws -> StatisticsAddition {
        try Self.accessing(path) { try catalog.statistics(of: bundle, since: start) }
    }
}

/// What is added to the statistics of a store at one time.
package struct StatisticsAddition: Sendable {
    /// A number that is counted.
    package struct Count: Hashable, Sendable {
        /// Empty for what no bundle covers.
        package let bundle: String
        /// What is counted, such as `requests.active`.
        package let measure: String

        package init(bundle: String, measure: String) {
            self.bundle = bundle
            self.measure = measure
        }
    }

    /// A line of a list.
    package struct Line: Hashable, Sendable {
        package let bundle: String
        package let list: StatisticsList
        /// A path or a URL, without a query.
        package let text: String

        package init(bundle: String, list: StatisticsList, text: String) {
            self.bundle = bundle
            self.list = list
            self.text = text
        }
    }

    /// What a line has.
    package struct LineValue: Hashable, Sendable {
        /// How many requests.
        package var count: Int64
        /// How long they took together, and the slowest of them, in milliseconds; 0 where that isn't measured.
        package var (milliseconds, maximum): (Int64, Int64)

        package init(count: Int64, milliseconds: Int64 = 0, maximum: Int64 = 0) {
            self.count = count
            (self.milliseconds, self.maximum) = (milliseconds, maximum)
        }
    }

    /// More than zero each.
    package var counts: [Count: Int64] = [:]
    package var lines: [Line: LineValue] = [:]

    package init() {}

    package var isEmpty: Bool { counts.isEmpty && lines.isEmpty }

    /// The sum of two.
    package func adding(_ other: StatisticsAddition) -> StatisticsAddition {
        var sum = self
        sum.counts.merge(other.counts) { $0 &+ $1 }
        sum.lines.merge(other.lines) {
            LineValue(
                count: $0.count &+ $1.count,
                milliseconds: $0.milliseconds &+ $1.milliseconds,
                maximum: max($0.maximum, $1.maximum)
            )
        }
        return sum
    }
}

/// A list of the statistics.
package enum StatisticsList: Int64, Sendable, CaseIterable {
    /// The paths of files that the bundle and the cache lacked, by the number of requests.
    case misses = 1
    /// The URLs that the network was slowest for.
    case slowest = 2
}

/// How much of the statistics is kept. Whatever clients ask for, it takes no more than about 20 MB of the catalog: 6 MB
/// for numbers, 12 MB for lists whose lines are all as long as they may be. Usually it is less than 1 MB.
package struct StatisticsLimits: Sendable {
    /// For how many days numbers are kept by the hour; after that they are kept by the day.
    package var hourlyDays: Int64 = 3
    /// For how many days numbers are kept.
    package var countDays: Int64 = 90
    /// For how many days lists are kept; they are kept by the day.
    package var lineDays: Int64 = 30
    /// The most lines of a list for a bundle and a day.
    package var linesOfList = 128
    /// The most numbers in all; the oldest go.
    package var countRows = 100_000
    /// The most lines in all; the oldest go.
    package var lineRows = 20_000

    /// The longest text of a line in bytes. What is longer is counted, and not listed.
    package static let textByteCount = 512

    package init() {}
}

extension Catalog {
    private static let hour: Int64 = 3_600
    private static let day: Int64 = 86_400
    /// The largest number that is kept: sums of two stay far from the end of the type.
    private static let maximumValue: Int64 = 1 << 60

    /// Adds numbers to the hour, and lines to the day, that `date` is in.
    func addStatistics(_ addition: StatisticsAddition, at date: Date, within limits: StatisticsLimits) throws {
        let now = Self.seconds(date)
        try write { database in
            let bundles = Set(try String.fetchAll(database, sql: "SELECT DISTINCT bundle FROM release"))
            // A bundle may have been removed since.
            func isKept(_ bundle: String) -> Bool { bundle.isEmpty || bundles.contains(bundle) }
            for (count, value) in addition.counts where isKept(count.bundle) {
                try Self.add(value, to: count, in: now - now % Self.hour, database)
            }
            let today = now - now % Self.day
            for (line, value) in addition.lines where isKept(line.bundle) {
                try Self.add(value, to: line, in: today, database)
            }
            for bundle in Set(addition.lines.keys.map(\.bundle)) {
                for list in StatisticsList.allCases {
                    try Self.cut(list, of: bundle, in: today, to: limits.linesOfList, database)
                }
            }
            try Self.age(at: now, within: limits, database)
        }
    }

    private static func seconds(_ date: Date) -> Int64 {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        // From 1970 to the year 9999; what is no number is 1970.
        return seconds > 0 ? Int64(min(seconds, 253_402_300_799)) : 0
    }

    private static func add(
        _ value: Int64,
        to count: StatisticsAddition.Count,
        in start: Int64,
        _ database: Database
    ) throws {
        try database.run(
            """
            INSERT INTO statistic (start, seconds, bundle, measure, value) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET value = min(value + excluded.value, \(maximumValue))
            """,
            [start, hour, count.bundle, count.measure, min(value, maximumValue)]
        )
    }

    private static func add(
        _ value: StatisticsAddition.LineValue,
        to line: StatisticsAddition.Line,
        in day: Int64,
        _ database: Database
    ) throws {
        try database.run(
            """
            INSERT INTO statisticLine (day, bundle, list, text, count, milliseconds, maximum) VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET count = min(count + excluded.count, \(maximumValue)),
                milliseconds = min(milliseconds + excluded.milliseconds, \(maximumValue)),
                maximum = max(maximum, excluded.maximum)
            """,
            [
                day, line.bundle, line.list.rawValue, line.text, min(value.count, maximumValue),
                min(value.milliseconds, maximumValue), min(value.maximum, maximumValue),
            ]
        )
    }

    /// Removes what is at the end of a list. What comes in later begins at the end again, so that lines which many have
    /// asked for aren't pushed out by any number of others that were asked for once.
    private static func cut(
        _ list: StatisticsList,
        of bundle: String,
        in day: Int64,
        to count: Int,
        _ database: Database
    ) throws {
        let rank = list == .misses ? "count" : "maximum"
        try database.run(
            """
            DELETE FROM statisticLine WHERE day = ? AND bundle = ? AND list = ? AND text IN (
                SELECT text FROM statisticLine WHERE day = ? AND bundle = ? AND list = ?
                ORDER BY \(rank) DESC, count DESC, text LIMIT -1 OFFSET ?
            )
            """,
            [day, bundle, list.rawValue, day, bundle, list.rawValue, count]
        )
    }

    /// Makes days of old hours, and removes what is older than that, or too much.
    private static func age(at now: Int64, within limits: StatisticsLimits, _ database: Database) throws {
        let today = now - now % day
        let firstHourly = today - limits.hourlyDays * day
        let old = "FROM statistic WHERE seconds = \(hour) AND start < ?"
        if try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 \(old))", arguments: [firstHourly]) == true {
            try database.run(
                """
                INSERT INTO statistic (start, seconds, bundle, measure, value)
                SELECT start - start % \(day), \(day), bundle, measure, min(sum(value), \(maximumValue)) \(old)
                GROUP BY start - start % \(day), bundle, measure
                ON CONFLICT DO UPDATE SET value = min(value + excluded.value, \(maximumValue))
                """,
                [firstHourly]
            )
            try database.run("DELETE \(old)", [firstHourly])
        }
        try database.run("DELETE FROM statistic WHERE start < ?", [today - limits.countDays * day])
        try database.run("DELETE FROM statisticLine WHERE day < ?", [today - limits.lineDays * day])
        try cutOldest("statistic", by: "start", to: limits.countRows, database)
        try cutOldest("statisticLine", by: "day", to: limits.lineRows, database)
    }

    /// Removes whole hours or days, the oldest first, until a table has no more than so many rows. Where the last one
    /// alone has more, those of some bundles go.
    private static func cutOldest(_ table: String, by time: String, to count: Int, _ database: Database) throws {
        let rows = try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table)") ?? 0
        guard rows > count else { return }
        try database.run(
            """
            DELETE FROM \(table) WHERE \(time) < (SELECT max(\(time)) FROM \(table))
            AND \(time) <= (SELECT \(time) FROM \(table) ORDER BY \(time) DESC LIMIT 1 OFFSET ?)
            """,
            [count]
        )
        let rest = try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table)") ?? 0
        guard rest > count else { return }
        let key = table == "statistic" ? "(start, seconds, bundle, measure)" : "(day, bundle, list, text)"
        let columns = key.dropFirst().dropLast()
        try database.run(
            """
            DELETE FROM \(table) WHERE \(key) IN (
                SELECT \(columns) FROM \(table) ORDER BY \(columns) DESC LIMIT -1 OFFSET ?
            )
            """,
            [count]
        )
    }

    func statistics(of bundle: BundleName?, since start: Date?) throws -> StatisticsAddition {
        let start = start.map(Self.seconds) ?? -1
        return try read { database in
            var result = StatisticsAddition()
            let arguments: StatementArguments = [start, bundle?.string, bundle?.string]
            let counts = try Row.fetchCursor(
                database,
                sql: """
                    SELECT bundle, measure, value FROM statistic
                    WHERE start + seconds > ? AND (? IS NULL OR bundle = ?)
                    """,
                arguments: arguments
            )
            while let row = try counts.next() {
                // A row that can't be read counts nothing.
                guard let name = row.text("bundle"), let measure = row.text("measure"),
                    let value = row.integer("value", in: 0...Self.maximumValue)
                else { continue }
                result.add(value, to: StatisticsAddition.Count(bundle: name, measure: measure))
            }
            let lines = try Row.fetchCursor(
                database,
                sql: """
                    SELECT bundle, list, text, count, milliseconds, maximum FROM statisticLine
                    WHERE day + \(Self.day) > ? AND (? IS NULL OR bundle = ?)
                    """,
                arguments: arguments
            )
            while let row = try lines.next() {
                guard let (line, value) = Self.line(row) else { continue }
                result.add(value, to: line)
            }
            return result
        }
    }

    private static func line(_ row: Row) -> (StatisticsAddition.Line, StatisticsAddition.LineValue)? {
        func number(_ column: String) -> Int64? { row.integer(column, in: 0...maximumValue) }
        guard let bundle = row.text("bundle"), let list = number("list").flatMap(StatisticsList.init),
            let text = row.text("text"), let count = number("count"),
            let milliseconds = number("milliseconds"), let maximum = number("maximum")
        else { return nil }
        return (
            StatisticsAddition.Line(bundle: bundle, list: list, text: text),
            StatisticsAddition.LineValue(count: count, milliseconds: milliseconds, maximum: maximum)
        )
    }

    /// Removes the statistics of bundles that have no release any more: a later bundle of the name is another one.
    static func dropStatisticsOfRemoved(in database: Database) throws {
        for table in ["statistic", "statisticLine"] {
            try database.execute(
                sql: "DELETE FROM \(table) WHERE bundle <> '' AND bundle NOT IN (SELECT bundle FROM release)"
            )
        }
    }
}

extension StatisticsAddition {
    /// Adds to a number.
    package mutating func add(_ value: Int64, to count: Count) {
        counts[count] = Self.sum(counts[count] ?? 0, value)
    }

    /// Adds to a line.
    package mutating func add(_ value: LineValue, to line: Line) {
        guard let known = lines[line] else { return lines[line] = value }
        lines[line] = LineValue(
            count: Self.sum(known.count, value.count),
            milliseconds: Self.sum(known.milliseconds, value.milliseconds),
            maximum: max(known.maximum, value.maximum)
        )
    }

    private static func sum(_ left: Int64, _ right: Int64) -> Int64 {
        let (sum, overflows) = left.addingReportingOverflow(right)
        return overflows ? .max : sum
    }
}
