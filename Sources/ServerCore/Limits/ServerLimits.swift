import HTTPCore


/// The limits of a server for one client and for all clients together. A value type; safe to share between threads.
public struct ServerLimits: Sendable, Hashable {
    /// The maximum number of open connections; at least 1. Default: 16,384. A connection over the limit gets 503 and is
    /// closed; over TLS, where no response is possible before the handshake, and on systems other than Linux it is
    /// closed without a response.
    public var connections = 16_384
    /// The maximum number of open connections from one address; at least 1. Default: 1,024. It doesn't apply to a Unix
    /// socket.
    public var connectionsPerAddress = 1_024
    /// The maximum number of requests whose responses are awaited or arrive, from the network or the disk, event streams and
    /// tunnels included; at least 1. Default: 4,096. One over the limit gets 503 with `Retry-After`.
    public var waitingRequests = 4_096
    /// The same for one address; at least 1. Default: 1,024. It doesn't apply to a Unix socket.
    public var waitingRequestsPerAddress = 1_024
    /// The maximum number of requests per second on a connection; at least 1. Default: 50,000. A request over the limit
    /// gets 429, or over HTTP/2 a stream reset with ENHANCE_YOUR_CALM; then the connection is closed.
    public var requestsPerSecond = 50_000
    /// The limits of a request's head. A field over HTTP/2 is at most 64 KiB long.
    public var head = RequestHeadLimits()
    /// How long a connection may be idle between requests; more than zero. Default: 60 s.
    public var idle: Duration = .seconds(60)
    /// How long a request's head may take from its first byte to its last; more than zero. Default: 20 s.
    public var headTime: Duration = .seconds(20)
    /// How long a request's content may take, or each 64 KiB of content that a responder reads; more than zero. Default:
    /// 30 s.
    public var bodyTime: Duration = .seconds(30)
    /// How long a client may take nothing of a response; more than zero. Default: 30 s. Then the connection is reset;
    /// over HTTP/2 only the stream, unless the client takes nothing on the whole connection.
    public var writeStall: Duration = .seconds(30)

    /// How long input is read and discarded after the last response: closing a connection with unread input could
    /// destroy the response on its way (RFC 9112 §9.6). 5 s, as in nginx.
    static let linger: Duration = .seconds(5)

    /// How long the response to a client that has ended its side is awaited. Most of these clients are gone: a browser
    /// closes a connection, and then the system says no more than that nothing follows. Those that still read, as old ones
    /// do, get what comes in a second.
    var halfClosedWait: Duration = .seconds(1)

    /// The default limits, for a server on the user's own machine and for a kiosk.
    public init() {}
}
