/// Why a release on probation counts as one that doesn't work, without anybody having said so. A value type.
package enum ProbationFailure: Equatable, Sendable {
    /// It wasn't confirmed in this many starts.
    case starts(Int)
    /// It wasn't confirmed within this many seconds of its first page.
    case time(seconds: Int64)

    private static let (inStarts, ofStarts) = ("not confirmed in ", " starts")
    private static let (withinTime, ofTime) = ("not confirmed within ", " s of its first page")

    /// A reason that the journal has.
    package init?(reason: String) {
        func number<Number: FixedWidthInteger>(between beginning: String, _ end: String) -> Number? {
            guard reason.hasPrefix(beginning), reason.hasSuffix(end) else { return nil }
            return Number(reason.dropFirst(beginning.count).dropLast(end.count))
        }
        if let count: Int = number(between: Self.inStarts, Self.ofStarts) {
            self = .starts(count)
        } else if let seconds: Int64 = number(between: Self.withinTime, Self.ofTime) {
            self = .time(seconds: seconds)
        } else {
            return nil
        }
    }

    /// What the journal has.
    var reason: String {
        switch self {
        case .starts(let count): "\(Self.inStarts)\(count)\(Self.ofStarts)"
        case .time(let seconds): "\(Self.withinTime)\(seconds)\(Self.ofTime)"
        }
    }
}
