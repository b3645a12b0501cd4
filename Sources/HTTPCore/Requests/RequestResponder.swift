import HTTPTypes

/// Responds to requests of any protocol. Thread-safe.
public protocol RequestResponder: Sendable {
    /// Increases when a request may get another response than before. A response that is begun after reading this is at
    /// least as new. Takes no lock.
    var generation: Int64 { get }

    /// Responds to a request, immediately if possible without waiting: event loops call this. The response has all
    /// fields except `Date` and those that frame the message.
    ///
    /// - Parameters:
    ///   - request: The request, with the target as it was sent in `path` and the `Host` in `authority`; or with an
    ///     absolute URL in `scheme`, `authority` and `path`.
    ///   - connection: What the response depends on of the connection.
    func begin(_ request: HTTPRequest, on connection: ConnectionInfo) -> ResponseStart

    /// The same for a request with only the fields of ``DecidingField``: without the others, a response that may depend
    /// on them has to be awaited.
    func begin(deciding request: HTTPRequest, on connection: ConnectionInfo) -> ResponseStart

    /// Completes a refusal, which responds to a malformed request or replaces a response.
    ///
    /// - Parameters:
    ///   - response: The refusal.
    ///   - request: The refused request; nil when it could not be parsed.
    func refusal(_ response: Response, of request: HTTPRequest?) -> Response

    /// The response that replaces one whose content can't be read when it is sent.
    func lost(_ request: HTTPRequest) -> Response
}

extension RequestResponder {
    /// For responders whose responses don't depend on other fields.
    public func begin(deciding request: HTTPRequest, on connection: ConnectionInfo) -> ResponseStart {
        begin(request, on: connection)
    }
}
