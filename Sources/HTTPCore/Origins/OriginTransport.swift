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
