import HTTPTypes

/// The client's side of a request whose response has to be awaited: the request's content, and the way for interim
/// responses. A value type; safe to share between threads.
public struct ClientExchange: Sendable {
    /// The request's content, to be read once; nil when the request has none.
    ///
    /// It is received from the client only as fast as it is read. A client that expects 100 (Continue) gets it with the
    /// first read (RFC 9110 §10.1.1), so that a responder that refuses the request reads nothing.
    public let content: BodyStream?
    /// Where the responder's work runs best: on the event loop of the client's connection. Nil for anywhere.
    public let executor: (any TaskExecutor)?
    /// The client's address; nil where it has none, as in an app.
    package let address: PeerAddress?
    private let interim: @Sendable (HTTPResponse) -> Void

    /// Creates the client's side.
    ///
    /// - Parameters:
    ///   - content: The request's content, if it has any.
    ///   - executor: Where the responder's work runs best. Default: anywhere.
    ///   - interim: Sends an interim response. Called from any thread, also when it is too late.
    public init(
        content: BodyStream?,
        executor: (any TaskExecutor)? = nil,
        interim: @escaping @Sendable (HTTPResponse) -> Void
    ) {
        self.init(content: content, executor: executor, address: nil, interim: interim)
    }

    /// As above.
    ///
    /// - Parameter address: The client's address; nil where it has none.
    package init(
        content: BodyStream?,
        executor: (any TaskExecutor)?,
        address: PeerAddress?,
        interim: @escaping @Sendable (HTTPResponse) -> Void
    ) {
        self.content = content
        self.executor = executor
        self.address = address
        self.interim = interim
    }

    /// A request without content, from a client to which no interim response is sent.
    public static let none = ClientExchange(content: nil, interim: { _ in })

    /// Passes on an interim response, such as 103 (RFC 9110 §15.2). Has no effect once the final response has begun, and
    /// for clients of HTTP/1.0. Returns immediately.
    public func sendInterim(_ head: HTTPResponse) {
        interim(head)
    }
}
