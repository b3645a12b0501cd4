import HTTPTypes

extension HTTPFields {
    /// These fields as a trailer section, without those “that describe message framing, routing, authentication, request
    /// modifiers, response controls, or content format”, which have to be known before the content (RFC 9110 §6.5.1). No
    /// recipient may merge the others into a header section either, unless the field's definition says how.
    package var asTrailers: HTTPFields {
        var fields = HTTPFields()
        for field in self where !Self.headerOnlyNames.contains(field.name.canonicalName) { fields.append(field) }
        return fields
    }

    private static let headerOnlyNames: Set<String> = [
        "age", "authorization", "cache-control", "connection", "content-encoding", "content-length", "content-range",
        "content-type", "cookie", "date", "expect", "expires", "host", "if-match", "if-modified-since", "if-none-match",
        "if-range", "if-unmodified-since", "keep-alive", "location", "max-forwards", "pragma",
        "proxy-authenticate", "proxy-authorization", "proxy-connection", "range", "retry-after", "set-cookie", "te",
        "trailer", "transfer-encoding", "upgrade", "vary", "via", "warning", "www-authenticate",
    ]
}
