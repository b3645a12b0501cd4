/// The limits of a transport. A value type.
struct TransportLimits: Sendable {
    /// How long a request waits for a connection, name look-up and TLS included.
    var connecting: Duration = .seconds(5)
    /// How long the origin may take from the end of the request to the first byte of the response.
    var firstByte: Duration = .seconds(30)
    /// How long the origin may stay silent between two reads.
    var silence: Duration = .seconds(30)
    /// How long a request waits for 100 (Continue) before it sends its content (RFC 9110 §10.1.1).
    var continuation: Duration = .seconds(1)
    /// How long a connection is kept without a request.
    var idling: Duration = .seconds(30)
    /// When the next address is tried while there is no connection to one (RFC 8305 §5).
    var nextAddress: Duration = .milliseconds(250)
    /// The number of connections to one origin.
    var connectionsPerOrigin = 256
    /// The number of all connections.
    var connections = 1_024
}
