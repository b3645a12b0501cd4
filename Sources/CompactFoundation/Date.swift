#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A number of seconds.
public typealias TimeInterval = Double

/// A moment. A value type.
public struct Date: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    /// The seconds between 1970 and 2001, the beginning of a date's own count.
    private static let referenceSecondsSince1970: TimeInterval = 978_307_200

    public let timeIntervalSinceReferenceDate: TimeInterval

    public static let distantPast = Date(timeIntervalSinceReferenceDate: -63_114_076_800)
    public static let distantFuture = Date(timeIntervalSinceReferenceDate: 63_113_904_000)
    public static var now: Date { Date() }

    /// The present moment.
    public init() {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        self.init(timeIntervalSince1970: TimeInterval(time.tv_sec) + TimeInterval(time.tv_nsec) / 1e9)
    }

    public init(timeIntervalSince1970 seconds: TimeInterval) {
        timeIntervalSinceReferenceDate = seconds - Self.referenceSecondsSince1970
    }

    public init(timeIntervalSinceReferenceDate seconds: TimeInterval) {
        timeIntervalSinceReferenceDate = seconds
    }

    public init(timeIntervalSinceNow seconds: TimeInterval) {
        self = Date() + seconds
    }

    public init(timeInterval seconds: TimeInterval, since date: Date) {
        self = date + seconds
    }

    public var timeIntervalSince1970: TimeInterval { timeIntervalSinceReferenceDate + Self.referenceSecondsSince1970 }
    public var timeIntervalSinceNow: TimeInterval { timeIntervalSince(Date()) }
    public var description: String { "\(timeIntervalSince1970) s since 1970" }

    public func timeIntervalSince(_ other: Date) -> TimeInterval {
        timeIntervalSinceReferenceDate - other.timeIntervalSinceReferenceDate
    }

    public func addingTimeInterval(_ seconds: TimeInterval) -> Date { self + seconds }
    public mutating func addTimeInterval(_ seconds: TimeInterval) { self += seconds }

    public static func < (first: Date, second: Date) -> Bool {
        first.timeIntervalSinceReferenceDate < second.timeIntervalSinceReferenceDate
    }

    public static func + (date: Date, seconds: TimeInterval) -> Date {
        Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate + seconds)
    }

    public static func - (date: Date, seconds: TimeInterval) -> Date { date + -seconds }
    public static func += (date: inout Date, seconds: TimeInterval) { date = date + seconds }
    public static func -= (date: inout Date, seconds: TimeInterval) { date = date - seconds }
}
