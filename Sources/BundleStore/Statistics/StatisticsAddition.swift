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
