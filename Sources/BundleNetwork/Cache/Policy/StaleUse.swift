/// When a stored response may still be used although its validation failed (RFC 9111 §4.2.4, §4.3.3).
package enum StaleUse: Hashable, Sendable {
    /// Not at all: the response is the origin's error, or 504 when there is none.
    case never
    /// When no response came from the origin.
    case whenDisconnected
    /// Also when the origin responded with 500, 502, 503 or 504 (RFC 5861 §4).
    case onServerError
}
