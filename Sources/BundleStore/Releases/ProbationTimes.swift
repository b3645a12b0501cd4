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

/// How long this process has seen the releases run that have yet to be confirmed: from the first page that it gave out. The
/// date plays no part, because it can be set. A value type; pure.
struct ProbationTimes {
    private struct Time {
        let nonce: String
        /// What earlier processes have seen.
        let before: Duration
        let since: Duration
        /// What is in the catalog.
        var noted: Duration
    }

    private var times: [BundleName: Time] = [:]
    private var obstacles: [BundleName: Int64] = [:]

    /// Begins the time of a release with a page of it.
    ///
    /// - Parameter now: The time since any fixed moment, as below.
    /// - Returns: Whether it is the first page of this process.
    mutating func begin(_ probation: Probation, of name: BundleName, at now: Duration) -> Bool {
        guard !hasBegun(probation, of: name) else { return false }
        let before = probation.observed
        times[name] = Time(nonce: probation.nonce, before: before, since: now, noted: before)
        return true
    }

    /// Takes the beginning back, because it couldn't be recorded.
    mutating func forget(_ name: BundleName) { times[name] = nil }

    /// Whether this process has given out a page of a release.
    func hasBegun(_ probation: Probation, of name: BundleName) -> Bool { times[name]?.nonce == probation.nonce }

    /// The time that has passed, in this process and in earlier ones.
    func observed(_ probation: Probation, of name: BundleName, at now: Duration) -> Duration {
        guard let time = times[name], time.nonce == probation.nonce else { return probation.observed }
        // Another process that runs at the same time sees the same time pass.
        return max(time.before + max(now - time.since, .zero), probation.observed)
    }

    /// The time to note for later processes; nil while it is less than `step` more than what is noted.
    mutating func takeUnnoted(_ probation: Probation, of name: BundleName, by step: Duration, at now: Duration)
        -> Duration?
    {
        guard hasBegun(probation, of: name), let noted = times[name]?.noted else { return nil }
        let observed = observed(probation, of: name, at: now)
        guard observed - noted >= step else { return nil }
        times[name]?.noted = observed
        return observed
    }

    /// Remembers that a release couldn't be left.
    ///
    /// - Parameter generation: That of the catalog: while it is the same, the release still can't.
    mutating func note(obstacleOf name: BundleName, at generation: Int64) { obstacles[name] = generation }

    /// Whether a release couldn't be left, and nothing has changed since.
    func isObstructed(_ name: BundleName, at generation: Int64) -> Bool { obstacles[name] == generation }
}
