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
