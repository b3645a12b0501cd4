import BundleServing

/// How much one client, and all of them together, may ask of an endpoint. A value type; safe to share between threads.
public struct ServerLimits: Sendable, Hashable {
    /// How many connections there may be at once; at least 1. One more is told 503 and closed; over TLS, where nothing
    /// can be said before the handshake, and elsewhere than on Linux it is closed without a word.
    public var connections = 16_384
    /// How many of them may come from one address; at least 1. Those of a unix socket have none.
    public var connectionsPerAddress = 1_024
    /// How many requests a connection may send in a second; at least 1. One more is told 429, or over HTTP/2 has its stream
    /// reset with ENHANCE_YOUR_CALM; then the connection is closed.
    public var requestsPerSecond = 50_000
    /// How much of a request's head is taken in. HTTP/2 takes no field of more than 64 KiB.
    public var head = RequestHeadLimits()
    /// How long a connection may be silent between requests; more than zero.
    public var idle: Duration = .seconds(60)
    /// How long a request's head may take from its first byte to its last; more than zero.
    public var headTime: Duration = .seconds(20)
    /// How long a request's content may take; more than zero.
    public var bodyTime: Duration = .seconds(30)
    /// How long a client may take nothing of a response; more than zero. Then the connection is reset; over HTTP/2 the stream,
    /// unless the connection as a whole is taken nothing from.
    public var writeStall: Duration = .seconds(30)

    /// How long a client is listened to whose last response is sent: closing a connection on which something is unread would
    /// destroy the response on its way (RFC 9112 §9.6). As long as with nginx.
    static let linger: Duration = .seconds(5)

    /// What suits a server on a machine of its user's, and a kiosk.
    public init() {}
}
