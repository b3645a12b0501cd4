import BundleServing
import HTTPTypes
import NIOHTTP1

/// Why a request can't be answered as one, and what its sender is told instead.
enum MalformedRequest: Error {
    /// An HTTP/1.1 request without exactly one `Host`, or one that isn't a host (RFC 9112 §3.2).
    case host
    /// A target in no form (RFC 9112 §3.2).
    case target
    /// A head that is too long to be read (RFC 6585 §5).
    case tooLong
    /// Bytes that aren't an HTTP/1 message, or one whose length is told in two ways (RFC 9112 §6.3).
    case syntax

    /// Sorts an error of the channel; nil when it isn't about what the client sent.
    init?(_ error: any Error) {
        switch error {
        case let error as MalformedRequest: self = error
        case HTTPParserError.headerOverflow: self = .tooLong
        case HTTPParserError.invalidURL: self = .target
        case is HTTPParserError: self = .syntax
        default: return nil
        }
    }

    /// What ends the connection: after such a request nothing tells where the next one begins.
    var answer: HTTPAnswer {
        let fields: HTTPFields = [
            .connection: "close", .cacheStatus: CacheStatus(nil, detail: "bad request").fieldValue,
        ]
        return .plain(status, explanation, fields: fields)
    }

    private var status: HTTPResponse.Status { self == .tooLong ? .requestHeaderFieldsTooLarge : .badRequest }

    private var explanation: String {
        switch self {
        case .host: "A request needs exactly one Host field, with a host and perhaps a port."
        case .target: "The request's target is neither a path nor an http or https URL."
        case .tooLong: "The request's target and fields are too long."
        case .syntax: "This is not a well-formed HTTP/1.1 request."
        }
    }
}
