/// A host to connect to in place of that of a URL. A value type; safe to share between threads.
public struct ConnectTarget: Hashable, Sendable {
    /// A name or an address, an IPv6 address without its brackets.
    public let host: String
    /// Nil for the URL's port.
    public let port: UInt16?

    /// Combines a host and a port.
    public init(host: String, port: UInt16? = nil) {
        self.host = host
        self.port = port
    }
}
