import BundleServing
import HTTPTypes

/// Why a connection is ended although its requests are valid.
enum Overload {
    /// There are too many connections.
    case connections
    /// A request didn't arrive in time.
    case requestTime
    /// There are too many requests on the connection.
    case requests

    /// The response that is sent before the connection ends.
    var response: Response {
        switch self {
        case .connections:
            plain(.serviceUnavailable, "There are too many connections; try again in a moment.", ["1"])
        case .requestTime:
            plain(.requestTimeout, "The request took too long to arrive.", [])
        case .requests:
            plain(.tooManyRequests, "There are too many requests on this connection; try again in a moment.", ["1"])
        }
    }

    private func plain(_ status: HTTPResponse.Status, _ text: String, _ retryAfter: [String]) -> Response {
        var fields: HTTPFields = [
            .connection: "close", .cacheStatus: CacheStatus(nil, detail: "limit").fieldValue,
        ]
        fields[values: .retryAfter] = retryAfter
        return .plain(status, text, fields: fields)
    }
}
