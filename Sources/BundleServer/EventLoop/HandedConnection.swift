/// A connection that a loop hands on, because something was asked on it that takes all of HTTP. Whoever takes it closes it.
struct HandedConnection: Sendable {
    let descriptor: Int32
    /// What was received on it and is not yet answered.
    let received: [UInt8]
    let seat: ConnectionCensus.Seat
}
