/// The fields of a request that say how it is to be read, or what is to be answered.
enum HeadField {
    case accept
    case acceptEncoding
    case connection
    case contentLength
    case cookie
    case fetchDestination
    case fetchMode
    case host
    case ifNoneMatch
    case referer
    case transferEncoding
    case upgrade
    case userAgent
    /// One that could change the response in a way that only the whole of RFC 9110 tells.
    case special
    /// Any other.
    case other

    /// Sorts a name by its length first, which leaves one or two to compare with.
    init(_ name: UnsafeRawBufferPointer) {
        switch name.count {
        case 4: self = name.isName("host") ? .host : .other
        case 5: self = name.isName("range") ? .special : .other
        case 6: self = Self.ofSix(name)
        case 7: self = name.isName("referer") ? .referer : name.isName("upgrade") ? .upgrade : .other
        case 8: self = name.isName("if-match") || name.isName("if-range") ? .special : .other
        case 10:
            self =
                name.isName("connection") ? .connection : name.isName("user-agent") ? .userAgent : .other
        case 13: self = name.isName("if-none-match") ? .ifNoneMatch : .other
        case 14: self = Self.ofFourteen(name)
        case 15: self = name.isName("accept-encoding") ? .acceptEncoding : .other
        case 17:
            self =
                name.isName("transfer-encoding")
                ? .transferEncoding : name.isName("if-modified-since") ? .special : .other
        case 19: self = name.isName("if-unmodified-since") ? .special : .other
        case 20: self = name.isName("available-dictionary") ? .special : .other
        default: self = .other
        }
    }

    @inline(__always)
    private static func ofSix(_ name: UnsafeRawBufferPointer) -> HeadField {
        if name.isName("accept") { return .accept }
        if name.isName("cookie") { return .cookie }
        return name.isName("origin") || name.isName("expect") ? .special : .other
    }

    @inline(__always)
    private static func ofFourteen(_ name: UnsafeRawBufferPointer) -> HeadField {
        if name.isName("sec-fetch-dest") { return .fetchDestination }
        if name.isName("sec-fetch-mode") { return .fetchMode }
        if name.isName("service-worker") { return .special }
        return name.isName("content-length") ? .contentLength : .other
    }
}
