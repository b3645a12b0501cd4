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

    static let shop = "shop@1.0.0"
}
