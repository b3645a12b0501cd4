/// A request of the table. A value type.
struct SurfaceRequest: Sendable {
    var method = "GET"
    /// Below the bundle's origin, percent-encoded, with its query.
    var path: String
    var fields: [(name: String, value: String)] = []
    var body: String?
    /// Whether a page is being opened.
    var isPage = false
}
