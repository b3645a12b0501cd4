import HTTPTypes

/// The network, as the fallback and the updater see it: one request, one response.
///
/// An implementation follows no redirect, keeps no cookie and no cache, sends the request's fields as they are, and
/// undoes no content coding. It may be called from any number of tasks at once.
public protocol OriginTransport: Sendable {
    /// Sends a request and returns as soon as the response's head has arrived; the body follows as it is read.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable` when no response comes: no route,
    ///   connection refused, time out, TLS failure, or something that isn't HTTP. `CancellationError` when the task is
    ///   cancelled.
    func send(_ call: OriginCall) async throws -> OriginResponse
}

extension OriginTransport {
    /// Sends a request without content, see ``send(_:)-(OriginCall)``.
    ///
    /// - Parameter request: A request whose `scheme`, `authority` and `path` are set.
    public func send(_ request: HTTPRequest) async throws -> OriginResponse { try await send(OriginCall(request)) }
}

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

/// A response from the network: its head, and its unread body.
public struct OriginResponse: Sendable {
    /// Status and fields as the origin sent them.
    public package(set) var head: HTTPResponse
    /// The body, to be read once. Reading throws ``/BundleModel/BundleError`` with code `networkUnavailable` when the
    /// connection breaks before the end.
    public let body: BodyStream
    /// The connection, after a switch of protocols: then the status is 101 and the body is empty.
    public let tunnel: Tunnel?

    /// Joins a head and a body.
    public init(head: HTTPResponse, body: BodyStream) {
        self.head = head
        self.body = body
        tunnel = nil
    }

    /// Joins a head with status 101 and the connection.
    public init(head: HTTPResponse, tunnel: Tunnel) {
        self.head = head
        self.tunnel = tunnel
        body = BodyStream([])
    }
}

/// A connection to an origin that carries another protocol, such as WebSocket: bytes in both directions (RFC 9110 §7.8,
/// RFC 8441). Each direction ends on its own. Safe to use from several tasks, but each direction from one at a time.
public struct Tunnel: Sendable {
    /// The bytes from the origin. Dropping them unread closes the connection.
    public let incoming: BodyStream
    private let sendBytes: @Sendable ([UInt8]) async throws -> Void
    private let endSending: @Sendable () async -> Void

    /// Creates a tunnel.
    ///
    /// - Parameters:
    ///   - incoming: The bytes from the origin; the end when it has closed its side.
    ///   - send: Sends bytes to the origin, and returns when there is room for more.
    ///   - end: Ends the direction to the origin.
    public init(
        incoming: BodyStream,
        send: @escaping @Sendable ([UInt8]) async throws -> Void,
        end: @escaping @Sendable () async -> Void
    ) {
        self.incoming = incoming
        sendBytes = send
        endSending = end
    }

    /// Sends bytes to the origin, and returns when there is room for more.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable` when the connection is broken;
    ///   `CancellationError` when the task is cancelled.
    public func send(_ bytes: [UInt8]) async throws { try await sendBytes(bytes) }

    /// Ends the direction to the origin, which may still send.
    public func end() async { await endSending() }
}
