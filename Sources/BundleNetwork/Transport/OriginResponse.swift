import BundleServing
import HTTPTypes

/// A response from the network: its head, and its body still to be read.
public struct OriginResponse: Sendable {
    /// Status and fields as the origin sent them.
    public let head: HTTPResponse
    /// The body, to be read once. Reading throws ``BundleStore/BundleError`` with code `networkUnavailable` when the
    /// connection breaks before the end.
    public let body: BodyStream

    /// Joins a head and a body.
    public init(head: HTTPResponse, body: BodyStream) {
        self.head = head
        self.body = body
    }
}
