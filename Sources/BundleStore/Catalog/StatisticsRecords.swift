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
