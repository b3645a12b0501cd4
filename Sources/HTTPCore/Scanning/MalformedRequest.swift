import HTTPTypes

/// Why a request is malformed, and the response to it. A value type; safe to share between threads.
public enum MalformedRequest: Error, Sendable, CaseIterable {
    /// An HTTP/1.1 request without exactly one `Host` (RFC 9112 §3.2), an HTTP/2 request without one or with two
    /// different ones (RFC 9113 §8.3.1), or an invalid one.
    case host
    /// A target that has none of the four forms (RFC 9112 §3.2).
    case target
    /// A target that is too long (RFC 9110 §15.5.15).
    case targetTooLong
    /// A head that is too long, or has too many fields (RFC 6585 §5).
    case tooLong
    /// Bytes that aren't an HTTP/1 message (RFC 9112 §2.2).
    case syntax
    /// A length that is stated in two ways, or in none that is valid (RFC 9112 §6.3).
    case framing
    /// An unsupported transfer coding (RFC 9112 §6.1).
    case transferCoding
    /// Another version of HTTP (RFC 9110 §15.6.6).
    case version

    /// The response, which ends an HTTP/1 connection: after such a request it isn't known where the next one begins.
    public var response: Response {
        let fields: HTTPFields = [
            .connection: "close", .cacheStatus: CacheStatus(nil, detail: "bad request").fieldValue,
        ]
        return .plain(status, explanation, fields: fields)
    }

    private var status: HTTPResponse.Status {
        switch self {
        case .host, .target, .syntax, .framing: .badRequest
        case .targetTooLong: .uriTooLong
        case .tooLong: .requestHeaderFieldsTooLarge
        case .transferCoding: .notImplemented
        case .version: .httpVersionNotSupported
        }
    }

    private var explanation: String {
        switch self {
        case .host: "A request needs exactly one Host field, with a host and an optional port."
        case .target: "The request's target is neither a path nor an http or https URL."
        case .targetTooLong: "The request's target is too long."
        case .tooLong: "The request's fields are too long, or too many."
        case .syntax: "This is not a well-formed HTTP/1.1 request."
        case .framing: "The request doesn't state the length of its content in exactly one way."
        case .transferCoding: "The only supported transfer coding is chunked."
        case .version: "This version of HTTP isn't supported; use HTTP/1.1."
        }
    }
}
