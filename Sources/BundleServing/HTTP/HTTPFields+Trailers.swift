import HTTPTypes

extension HTTPFields {
    /// These fields as a trailer section, without those that frame a message, route it, authenticate, or control how it is
    /// processed: a recipient could take them for fields of the header section (RFC 9110 §6.5.1).
    package var asTrailers: HTTPFields {
        var fields = HTTPFields()
        for field in self where !Self.headerOnlyNames.contains(field.name.canonicalName) { fields.append(field) }
        return fields
    }

    private static let headerOnlyNames: Set<String> = [
        "age", "authorization", "cache-control", "connection", "content-encoding", "content-length", "content-range",
        "content-type", "cookie", "date", "expect", "expires", "host", "keep-alive", "location", "max-forwards",
        "pragma",
        "proxy-authenticate", "proxy-authorization", "proxy-connection", "range", "retry-after", "set-cookie", "te",
        "trailer", "transfer-encoding", "upgrade", "vary", "via", "warning", "www-authenticate",
    ]
}
