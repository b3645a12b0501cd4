import NIOCore

extension ServerLimits {
    /// How often a channel looks for what takes a client too long: what begins after one look isn't overdue before the next.
    var watchInterval: TimeAmount { TimeAmount(min(idle, headTime, bodyTime, writeStall)) }
}
