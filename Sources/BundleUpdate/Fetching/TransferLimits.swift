/// How slow transfers from publishers' servers may be, and how fast. A value type; safe to share between threads.
public struct TransferLimits: Hashable, Sendable {
    /// The longest time that one transfer takes, from the request to the last byte; more than zero. What was received of
    /// an archive is kept, and the next attempt goes on from there. Default: 1 h.
    public var deadline: Duration = .seconds(3_600)
    /// The least rate in bytes per second; 0 for none. Default: 1,000, as OSTree has it (ostree.repo-config(5)).
    public var leastRate: Int64 = 1_000
    /// How long a transfer may be below ``leastRate``; more than zero. Default: 30 s, as OSTree has it.
    public var patience: Duration = .seconds(30)
    /// The highest rate in bytes per second, of all transfers together, 1 or more; nil for none. Default: nil.
    public var maximumRate: Int64?

    /// The default values.
    public init() {}

    /// For short documents, which come whole or not at all.
    static let document: TransferLimits = {
        var limits = TransferLimits()
        limits.deadline = .seconds(60)
        limits.leastRate = 0
        return limits
    }()
}
