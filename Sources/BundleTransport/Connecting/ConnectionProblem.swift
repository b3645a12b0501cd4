/// What goes wrong with a connection, apart from the system's errors.
enum ConnectionProblem: Error, Equatable {
    /// The name has no address.
    case noAddress
    /// There is no connection within the limit.
    case notInTime
    /// Nothing came for this long.
    case silence(Duration)
    /// The origin closed the connection before the response's end.
    case closed
    /// The transport was shut down.
    case shutDown
}
