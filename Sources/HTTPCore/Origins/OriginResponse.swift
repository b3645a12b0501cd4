import HTTPTypes

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
