/// What a request gets from the pool.
enum ConnectionPlace: Sendable {
    /// A connection that was kept.
    case kept(ClientConnection)
    /// The permission to open a connection, which is to be given back when none is made of it.
    case new
}
