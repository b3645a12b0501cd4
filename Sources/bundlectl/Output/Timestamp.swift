import Foundation

/// Dates for people and programs alike: ISO 8601 in UTC, to the second, so that lines from several machines compare.
enum Timestamp {
    static func text(_ date: Date) -> String {
        date.formatted(.iso8601)
    }
}
