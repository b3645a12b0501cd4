/// The fields of a request that determine its framing, its response, or its log record.
package enum RequestField {
    /// A field that can change the response.
    case deciding(DecidingField)
    case connection
    case contentLength
    case expect
    case host
    case referer
    case transferEncoding
    case upgrade
    case userAgent
    /// Any other field.
    case other

    /// Selects by the name's length first, which leaves few names to compare.
    package init(_ name: UnsafeRawBufferPointer) {
        switch name.count {
        case 3: self = name.isName("via") ? .deciding(.via) : .other
        case 4: self = name.isName("host") ? .host : .other
        case 5: self = name.isName("range") ? .deciding(.range) : .other
        case 6: self = Self.ofSix(name)
        case 7: self = name.isName("referer") ? .referer : name.isName("upgrade") ? .upgrade : .other
        case 8:
            self =
                name.isName("if-match") ? .deciding(.ifMatch) : name.isName("if-range") ? .deciding(.ifRange) : .other
        case 10: self = name.isName("connection") ? .connection : name.isName("user-agent") ? .userAgent : .other
        case 13:
            self =
                name.isName("if-none-match")
                ? .deciding(.ifNoneMatch) : name.isName("cache-control") ? .deciding(.cacheControl) : .other
        case 14: self = Self.ofFourteen(name)
        case 15: self = name.isName("accept-encoding") ? .deciding(.acceptEncoding) : .other
        case 17:
            self =
                name.isName("if-modified-since")
                ? .deciding(.ifModifiedSince) : name.isName("transfer-encoding") ? .transferEncoding : .other
        case 19: self = name.isName("if-unmodified-since") ? .deciding(.ifUnmodifiedSince) : .other
        case 20: self = name.isName("available-dictionary") ? .deciding(.availableDictionary) : .other
        case 29: self = name.isName("access-control-request-method") ? .deciding(.accessControlRequestMethod) : .other
        case 30: self = name.isName("access-control-request-headers") ? .deciding(.accessControlRequestHeaders) : .other
        case 38:
            self =
                name.isName("access-control-request-private-network")
                ? .deciding(.accessControlRequestPrivateNetwork) : .other
        default: self = .other
        }
    }

    @inline(__always)
    private static func ofSix(_ name: UnsafeRawBufferPointer) -> RequestField {
        if name.isName("accept") { return .deciding(.accept) }
        if name.isName("cookie") { return .deciding(.cookie) }
        if name.isName("origin") { return .deciding(.origin) }
        if name.isName("pragma") { return .deciding(.pragma) }
        return name.isName("expect") ? .expect : .other
    }

    @inline(__always)
    private static func ofFourteen(_ name: UnsafeRawBufferPointer) -> RequestField {
        if name.isName("sec-fetch-dest") { return .deciding(.secFetchDest) }
        if name.isName("sec-fetch-mode") { return .deciding(.secFetchMode) }
        if name.isName("sec-fetch-site") { return .deciding(.secFetchSite) }
        if name.isName("service-worker") { return .deciding(.serviceWorker) }
        return name.isName("content-length") ? .contentLength : .other
    }
}
