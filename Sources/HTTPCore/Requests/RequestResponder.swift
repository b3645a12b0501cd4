import HTTPTypes

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Responds to requests of any protocol. Thread-safe.
public protocol RequestResponder: Sendable {
    /// Increases when a request may get another response than before. A response that is begun after reading this is at
    /// least as new. Takes no lock.
    var generation: Int64 { get }

    /// Responds to a request, immediately if possible without waiting: event loops call this. The response has all
    /// fields except `Date` and those that frame the message.
    ///
    /// A complete response may be sent to other requests, as its ``ResponseStart/Reuse`` says: it depends only on the
    /// fields of ``DecidingField``, and on those that it names.
    ///
    /// - Parameters:
    ///   - request: The request, with the target as it was sent in `path` and the `Host` in `authority`; or with an
    ///     absolute URL in `scheme`, `authority` and `path`.
    ///   - connection: What the response depends on of the connection.
    func begin(_ request: HTTPRequest, on connection: ConnectionInfo) -> ResponseStart

    /// Completes a refusal, which responds to a malformed request or replaces a response.
    ///
    /// - Parameters:
    ///   - response: The refusal.
    ///   - request: The refused request; nil when it could not be parsed.
    func refusal(_ response: Response, of request: HTTPRequest?) -> Response

    /// The response that replaces one whose content can't be read when it is sent.
    func lost(_ request: HTTPRequest) -> Response
}

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

/// The IP address of a connection's other end. A value type; safe to share between threads.
///
/// Of an IPv6 address the first 64 bits count: one site gets at least that prefix (RFC 6177 §2).
package struct PeerAddress: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// Returns nil for a socket of another family, such as a Unix socket.
    package init?(_ address: UnsafePointer<sockaddr>) {
        let raw = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            // By position, behind the family and the port on every system: to which C module the members of these
            // structures belong depends on the order in which modules are loaded.
            (high, low) = (0, UInt64(UInt32(bigEndian: raw.loadUnaligned(fromByteOffset: 4, as: UInt32.self))))
        case AF_INET6:
            // Behind the flow information too.
            let words = (
                UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self)),
                UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
            )
            // ::ffff:1.2.3.4 is 1.2.3.4 (RFC 4291 §2.5.5.2).
            let isMapped = words.0 == 0 && words.1 >> 32 == 0xFFFF
            (high, low) = isMapped ? (0, words.1 & 0xFFFF_FFFF) : (words.0, 0)
        default:
            return nil
        }
    }
}
