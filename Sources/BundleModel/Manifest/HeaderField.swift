/// A response header field that a manifest adds: a name that it may set and a value that is safe to send.
/// A value type; safe to share between threads.
public struct HeaderField: Hashable, Sendable {
    /// The name as written; HTTP compares names case-insensitively.
    public let name: String
    /// The value: printable ASCII, without white space at its ends.
    public let value: String

    /// Returns nil when `name` isn't a token (RFC 9110 §5.1) or is a field that the server itself sets, or when `value`
    /// has a control character, a character outside ASCII, or white space at an end (RFC 9110 §5.5).
    public init?(name: String, value: String) {
        guard HTTPSyntax.isToken(name), !HeaderField.isReserved(name), HTTPSyntax.isFieldValue(value) else {
            return nil
        }
        self.name = name
        self.value = value
    }

    /// Whether `name` is a field that the server itself sets.
    package static func isReserved(_ name: String) -> Bool {
        reservedNames.contains(name.lowercased())
    }

    /// The first group frames messages and belongs to one connection (RFC 9110 §7.6.1, RFC 9112 §6): setting it would
    /// break the response's framing. The second describes the sent bytes, which only the server knows; `Vary` follows
    /// from the codings that it chose, and a media type is set under `mediaTypes`. The third group is guaranteed by the
    /// product.
    static let reservedNames = framingNames.union([
        "accept-ranges", "content-encoding", "content-range", "content-type", "date", "etag", "last-modified", "vary",
        "age", "cache-status", "x-content-type-options",
    ])

    static let framingNames: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
        "content-length",
    ]
}
