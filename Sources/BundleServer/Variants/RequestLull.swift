/// Has work in the background wait while requests come in: the load of a page is a burst of requests, with which the work would
/// compete for the processor. A steady stream of requests is none, and has it wait only once. A value type; pure.
struct RequestLull {
    /// How long no request may have come.
    static let interval: Duration = .milliseconds(250)
    /// The longest time that requests without such an interval have the work wait.
    static let limit: Duration = .seconds(5)

    /// The number of requests when it was last asked for.
    private var count: Int64
    private var changedAt: Duration
    /// Since when there was no interval without requests; nil during one.
    private var busySince: Duration?

    /// Work begins, because of a request.
    ///
    /// - Parameters:
    ///   - count: The number of requests so far.
    ///   - now: The time since any fixed moment.
    init(_ count: Int64, at now: Duration) {
        (self.count, changedAt, busySince) = (count, now, now)
    }

    /// How long to wait until asking again; nil when the work may go on.
    ///
    /// - Parameters:
    ///   - count: The number of requests so far.
    ///   - now: The time since the same moment.
    mutating func delay(_ count: Int64, at now: Duration) -> Duration? {
        if count != self.count { (self.count, changedAt, busySince) = (count, now, busySince ?? now) }
        let rest = Self.interval - (now - changedAt)
        guard rest > .zero else {
            busySince = nil
            return nil
        }
        return busySince.map { now - $0 < Self.limit } == true ? rest : nil
    }
}
