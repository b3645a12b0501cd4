import NIOCore

extension ServerLimits {
    /// How often a channel checks its time limits: what begins after one check can't be overdue before the next.
    var watchInterval: TimeAmount { TimeAmount(min(idle, headTime, bodyTime, writeStall)) }
}
