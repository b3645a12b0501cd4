import HTTPTypes

/// The part of a content that a 206 has (RFC 9110 §14.4). A value type.
struct ContentRange: Equatable {
    /// The number of its first byte.
    let start: Int64
    /// The length of the whole in bytes; nil when the server doesn't say.
    let length: Int64?

    /// Nil unless it is the response to a range, with a valid `Content-Range` in bytes.
    init?(_ head: HTTPResponse) {
        guard head.status == .partialContent, let value = head.headerFields[.contentRange],
            value.lowercased().hasPrefix("bytes "), case let parts = value.dropFirst(6).split(separator: "/"),
            parts.count == 2, let start = parts[0].split(separator: "-").first.flatMap({ Int64($0) }), start >= 0
        else { return nil }
        self.start = start
        length = Int64(parts[1])
    }
}
