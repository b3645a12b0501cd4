/// What a response may take. A value type.
struct TransportLimits: Sendable {
    /// How long nothing may arrive.
    let silence: Duration
    /// How much may arrive before it is read.
    let unreadByteCount: Int64
}
