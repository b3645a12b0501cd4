import Foundation
import GRDB

/// The tables `statistic` and `statisticLine`: what bundles are used for.
struct StatisticsTables {
    let connection: CatalogConnection

    private static let hour: Int64 = 3_600
    private static let day: Int64 = 86_400
    /// The largest number that is kept: sums of two stay far from the end of the type.
    private static let maximumValue: Int64 = 1 << 60

    /// Adds numbers to the hour, and lines to the day, that `date` is in.
    func add(_ addition: StatisticsAddition, at date: Date, within limits: StatisticsLimits) throws {
        let now = Self.seconds(date)
        try connection.write { database in
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

    func sum(of bundle: BundleName?, since start: Date?) throws -> StatisticsAddition {
        let start = start.map(Self.seconds) ?? -1
        return try connection.read { database in
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
    static func dropRemoved(in database: Database) throws {
        for table in ["statistic", "statisticLine"] {
            try database.execute(
                sql: "DELETE FROM \(table) WHERE bundle <> '' AND bundle NOT IN (SELECT bundle FROM release)"
            )
        }
    }
}
