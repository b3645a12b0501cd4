import HTTPCore
import HTTPTypes

/// Why a request gets no other response although it is valid.
enum Overload {
    /// There are too many connections.
    case connections
    /// Too many requests wait for their responses. The connection stays open.
    case waitingRequests
    /// A request didn't arrive in time.
    case requestTime
    /// There are too many requests on the connection.
    case requests

    /// The response, before the connection ends in most cases.
    var response: Response {
        switch self {
        case .connections:
            plain(.serviceUnavailable, "There are too many connections; try again in a moment.", ["1"])
        case .waitingRequests:
            plain(
                .serviceUnavailable,
                "There are too many requests under way; try again in a moment.",
                ["1"],
                closesConnection: false
            )
        case .requestTime:
            plain(.requestTimeout, "The request took too long to arrive.", [])
        case .requests:
            plain(.tooManyRequests, "There are too many requests on this connection; try again in a moment.", ["1"])
        }
    }

    private func plain(
        _ status: HTTPResponse.Status,
        _ text: String,
        _ retryAfter: [String],
        closesConnection: Bool = true
    ) -> Response {
        var fields: HTTPFields = [.cacheStatus: CacheStatus(nil, detail: "limit").fieldValue]
        if closesConnection { fields[.connection] = "close" }
        fields[values: .retryAfter] = retryAfter
        return .plain(status, text, fields: fields)
    }
}
