import HTTPTypes

/// A request to an origin. A value type; safe to share between threads.
public struct OriginCall: Sendable {
    /// The head: `scheme`, `authority` and `path` are set. A request that may switch protocols has `Upgrade` and
    /// `Connection` (RFC 9110 §7.8); the transport adds no fields but those that frame the content.
    public var request: HTTPRequest
    /// The content, which is read as fast as the origin takes it; nil for none. With `Expect: 100-continue` it is read
    /// once the origin has sent 100 (Continue), or hasn't responded for a second (RFC 9110 §10.1.1).
    public var content: BodyStream?
    /// Called with each interim response except 100 and 101, from any thread.
    public var onInterim: (@Sendable (HTTPResponse) -> Void)?
    /// Where to connect instead of the URL's host. `Host`, the name in the TLS handshake and the certificate's check
    /// remain those of the URL.
    public var connectTo: ConnectTarget?

    /// The origin, which limits and the breaker count by.
    package var origin: String { "\(request.scheme ?? "")://\(request.authority ?? "")" }

    /// A request without content.
    public init(_ request: HTTPRequest) {
        self.request = request
    }
}
