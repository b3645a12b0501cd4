/// What responses depend on of the connection that a request came on. A value type; safe to share between threads.
public struct ConnectionInfo: Hashable, Sendable {
    /// The server's port; nil for a Unix socket.
    public let port: Int?
    /// Whether the client runs on the server's machine, as far as the addresses say: it came over the loopback interface
    /// or a Unix socket. A proxy that passes requests on from elsewhere looks the same.
    public let isLocal: Bool

    /// Creates one.
    public init(port: Int?, isLocal: Bool) {
        (self.port, self.isLocal) = (port, isLocal)
    }
}
