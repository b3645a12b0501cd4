/// The protocol of a connection.
enum ApplicationProtocol: Sendable {
    /// HTTP/1.1 and 1.0 (RFC 9112).
    case http1
    /// HTTP/2 (RFC 9113).
    case http2
}
