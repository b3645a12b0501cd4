import BundleServing

/// What a response must be, and what must be recorded of it.
struct ConformanceExpectation: Sendable {
    let status: Int
    /// Fields that must be there with this value, or with nil must not be there.
    var fields: [String: String?]
    /// The content; nil for any.
    var content: String?
    /// Where it comes from, as logs and metrics have it.
    var layer: ResponseSource.Layer
    /// The release that it comes from, `name@version`; nil for none.
    var release: String?
    /// Whether it is recorded with the texts of the request. Input that isn't a request, and that is too much, is not.
    var isOfRequest: Bool
    /// Whether its length is told (RFC 9112 §6.3).
    var hasLength = true
    /// How many bytes an origin sends for it.
    var originByteCount = 0

    /// From where most responses with this status come.
    init(_ status: Int, _ fields: [String: String?], content: String?) {
        self.status = status
        self.fields = fields
        self.content = content
        switch status {
        case 200, 206, 301, 304, 412, 416: (layer, release) = (.active, Self.shop)
        case 404: (layer, release) = (.miss, nil)
        case 504: (layer, release) = (.miss, Self.shop)
        default: (layer, release) = (.server, nil)
        }
        isOfRequest = ![400, 408, 414, 429, 431].contains(status)
    }

    /// The status line of HTTP/1 behind the version (RFC 9112 §4), whichever layer the response comes from.
    var statusLine: String { "\(status) \(Self.reasonPhrases[status] ?? "unlisted")" }

    private static let reasonPhrases = [
        200: "OK", 204: "No Content", 206: "Partial Content", 301: "Moved Permanently", 304: "Not Modified",
        400: "Bad Request", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 408: "Request Timeout",
        409: "Conflict", 412: "Precondition Failed", 414: "URI Too Long", 415: "Unsupported Media Type",
        416: "Range Not Satisfiable", 421: "Misdirected Request", 429: "Too Many Requests",
        431: "Request Header Fields Too Large", 501: "Not Implemented", 504: "Gateway Timeout",
    ]

    static let shop = "shop@1.0.0"
}
