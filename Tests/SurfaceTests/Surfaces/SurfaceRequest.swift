/// A request of the table. A value type.
struct SurfaceRequest: Sendable {
    var method = "GET"
    /// Below the bundle's origin, percent-encoded, with its query.
    var path: String
    var fields: [(name: String, value: String)] = []
    var body: String?
    /// Whether the body is sent in pieces, without its length.
    var isStreamed = false
    /// Whether a page is being opened.
    var isPage = false

    /// The body as it is sent.
    var pieces: [[UInt8]]? {
        guard let bytes = body.map({ Array($0.utf8) }) else { return nil }
        guard isStreamed else { return [bytes] }
        return stride(from: 0, to: bytes.count, by: 10_000).map { Array(bytes[$0...].prefix(10_000)) }
    }
}
