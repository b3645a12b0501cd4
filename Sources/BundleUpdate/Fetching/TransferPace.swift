/// Whether a transfer is too slow: an account of how long its reader has waited, and of what has arrived.
///
/// Waiting uses up the patience, and each byte restores as much of it as it may take at the least rate. So a transfer that
/// is slower on average ends, and a short silence ends none. Only the time that the reader waits for the network counts
/// against the rate: not what a slow disk takes, or a rate that the reader keeps to. Moments are times since the start.
///
/// A value type.
struct TransferPace {
    /// Why a transfer is too slow.
    enum Slowness: Error, Equatable {
        case deadline(Duration)
        case rate(Int64)
    }

    /// The most often that it has to be asked.
    private static let shortestInterval: Duration = .seconds(1)

    private let limits: TransferLimits
    private var patience: Duration
    private var waitingSince: Duration?

    init(_ limits: TransferLimits) {
        self.limits = limits
        patience = limits.patience
    }

    /// The reader begins to wait.
    mutating func beginWaiting(at now: Duration) {
        waitingSince = now
    }

    /// The reader waits no longer, because something has arrived.
    mutating func received(_ byteCount: Int, at now: Duration) {
        let restored = limits.leastRate > 0 ? .seconds(Double(byteCount) / Double(limits.leastRate)) : limits.patience
        patience = min(patience(at: now) + restored, limits.patience)
        waitingSince = nil
    }

    /// Why the transfer has to end; nil when it may go on.
    func slowness(at now: Duration) -> Slowness? {
        if now >= limits.deadline { return .deadline(limits.deadline) }
        return limits.leastRate > 0 && patience(at: now) <= .zero ? .rate(limits.leastRate) : nil
    }

    /// How long from now on the transfer can't become too slow, or a second.
    func interval(from now: Duration) -> Duration {
        let rest = limits.deadline - now
        guard limits.leastRate > 0 else { return rest }
        return min(rest, max(patience(at: now), Self.shortestInterval))
    }

    private func patience(at now: Duration) -> Duration { patience - (waitingSince.map { now - $0 } ?? .zero) }
}
