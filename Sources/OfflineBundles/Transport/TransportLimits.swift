/// What a response may take. A value type.
struct TransportLimits: Sendable {
    /// How long the head may take.
    let firstByte: Duration
    /// How long nothing may arrive after it.
    let silence: Duration
    /// How much may arrive before it is read.
    let unreadByteCount: Int64
}
