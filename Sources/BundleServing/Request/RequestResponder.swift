import HTTPTypes

/// Responds to requests, whichever protocol they come in. Thread-safe.
public protocol RequestResponder: Sendable {
    /// Grows when a request may get another response than before. A response that was begun after this was read is at least as new.
    /// Costs no lock.
    var generation: Int64 { get }

    /// Responds to a request, at once if that needs no waiting: an event loop calls this. The response has all fields but `Date` and
    /// those that frame the message.
    ///
    /// - Parameters:
    ///   - request: With the target as it was sent in `path`, and the `Host` in `authority`; or with an absolute URL in `scheme`,
    ///     `authority` and `path`. When it has only the fields of ``DecidingField``, the response is the same, unless it waits.
    ///   - port: The port on which it came in; nil for a Unix socket.
    func begin(_ request: HTTPRequest, at port: Int?) -> ResponseStart

    /// A refusal as it is sent: to what isn't a request, or in place of a response.
    ///
    /// - Parameter request: What is refused; nil when it could not be read.
    func refusal(_ response: Response, of request: HTTPRequest?) -> Response

    /// In place of a response whose content turned out to be unreadable when it was to be sent.
    func lost(_ request: HTTPRequest) -> Response
}
