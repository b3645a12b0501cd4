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
