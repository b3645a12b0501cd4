/// When to retry after failures: after a pause that doubles with each failure. A value type.
struct Backoff {
    private let longest: Duration
    private var following: Duration
    /// The pause after the last failure; zero before the first one.
    private(set) var pause: Duration = .zero
    private var next: Duration?

    /// - Parameters:
    ///   - first: The pause after the first failure, at most `longest`.
    ///   - longest: The longest pause.
    init(first: Duration, longest: Duration) {
        following = first
        self.longest = longest
    }

    /// Whether an attempt is due.
    ///
    /// - Parameter now: The time since any fixed moment.
    func isDue(at now: Duration) -> Bool { next.map { $0 <= now } ?? true }

    /// Postpones the next attempt for another reason than a failure: the pauses don't grow.
    ///
    /// - Parameter moment: As in ``isDue(at:)``.
    mutating func postpone(until moment: Duration) {
        next = moment
    }

    /// Records a failure.
    ///
    /// - Parameter now: As in ``isDue(at:)``.
    mutating func failed(at now: Duration) {
        pause = following
        next = now + pause
        following = min(pause * 2, longest)
    }
}
