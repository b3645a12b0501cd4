import Foundation

/// Dates for display and for programs: ISO 8601 in UTC, to the second, so that lines from several machines compare.
enum Timestamp {
    static func text(_ date: Date) -> String {
        date.formatted(.iso8601)
    }
}
