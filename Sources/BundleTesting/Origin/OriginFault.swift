import HTTPTypes

/// A way in which an origin fails.
package enum OriginFault: Sendable {
    /// Sends the head and exactly this many bytes of the body, then closes the connection.
    case close(afterBodyBytes: Int)
    /// Doesn't respond before the latch is open.
    case hold(Latch)
    /// Announces this `Content-Length` whatever the body's real length, and closes the connection after the body.
    case announceLength(Int)
    /// Responds with this status and an empty body instead of the real response.
    case status(HTTPResponse.Status)
    /// Sends the body with `Transfer-Encoding: chunked`, so that the client doesn't know its length.
    case chunked
}
