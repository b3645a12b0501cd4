/// What turns the bytes of a request into a request, and a response into bytes.
enum ConformanceDriver: String, Sendable, CaseIterable {
    /// None: the responder is asked directly.
    case responder
    /// HTTP/1.1 in clear text, on an event loop until something is asked that takes more.
    case loop
    /// HTTP/1.1 in clear text, on a channel from the beginning.
    case channel
    /// HTTP/1.1 over TLS.
    case http1OverTLS
    /// HTTP/2 in clear text, by prior knowledge.
    case http2
    /// HTTP/2 over TLS.
    case http2OverTLS

    /// Whether connections are TLS.
    var isSecure: Bool { self == .http1OverTLS || self == .http2OverTLS }

    var isHTTP2: Bool { self == .http2 || self == .http2OverTLS }

    /// The protocol's name in logs.
    var protocolName: String { isHTTP2 ? "HTTP/2.0" : "HTTP/1.1" }
}
