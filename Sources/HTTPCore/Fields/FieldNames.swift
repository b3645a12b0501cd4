import HTTPTypes

extension HTTPField.Name {
    /// `Access-Control-Request-Private-Network` (WICG Private Network Access §3.1.2).
    package static let accessControlRequestPrivateNetwork = HTTPField.Name("Access-Control-Request-Private-Network")!
    /// `Cache-Status` (RFC 9211).
    package static let cacheStatus = HTTPField.Name("Cache-Status")!
    /// `Clear-Site-Data` (W3C Clear Site Data §3.1).
    package static let clearSiteData = HTTPField.Name("Clear-Site-Data")!
    /// `Pragma` (RFC 9111 §5.4).
    package static let pragma = HTTPField.Name("Pragma")!
    /// `Purpose`: as `Sec-Purpose`, by browsers that are older.
    package static let purpose = HTTPField.Name("Purpose")!
    /// `Service-Worker` (W3C Service Workers, “Service-Worker”): browsers send it when they fetch a worker's script; pages can't.
    package static let serviceWorker = HTTPField.Name("Service-Worker")!
    /// `Sec-Fetch-Dest` (W3C Fetch Metadata Request Headers §2.1).
    package static let secFetchDest = HTTPField.Name("Sec-Fetch-Dest")!
    /// `Sec-Fetch-Mode` (W3C Fetch Metadata Request Headers §2.2).
    package static let secFetchMode = HTTPField.Name("Sec-Fetch-Mode")!
    /// `Sec-Fetch-Site` (W3C Fetch Metadata Request Headers §2.3).
    package static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
    /// `Sec-Purpose` (WHATWG Fetch §3.6).
    static let secPurpose = HTTPField.Name("Sec-Purpose")!
    /// `Server-Timing` (W3C Server Timing §4): scripts of the page can read it.
    package static let serverTiming = HTTPField.Name("Server-Timing")!
}

extension HTTPFields {
    /// A copy without the fields of one connection or one proxy hop: the Connection field, the fields it lists, and the
    /// fields that always belong to one (RFC 9110 §7.6.1, RFC 9111 §3.1).
    package func removingConnectionFields() -> HTTPFields {
        let options = listElements(of: .connection).map { $0.lowercased() }
        return HTTPFields(
            filter { field in
                guard !HTTPFields.connectionFields.contains(field.name) else { return false }
                // Never a connection option (RFC 9110 §7.6.1); dropping it would lose a no-cache.
                return field.name == .cacheControl || !options.contains(field.name.canonicalName)
            }
        )
    }

    /// A copy without the fields whose names are in `names`.
    package func removing(_ names: Set<HTTPField.Name>) -> HTTPFields {
        HTTPFields(filter { !names.contains($0.name) })
    }

    static let connectionFields: Set<HTTPField.Name> = [
        .connection, .proxyAuthenticate, .proxyAuthenticationInfo, .proxyAuthorization, .te, .trailer,
        .transferEncoding, .upgrade, HTTPField.Name("Keep-Alive")!, HTTPField.Name("Proxy-Connection")!,
    ]
}

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
