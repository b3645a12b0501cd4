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
    case userAgent
    /// One that could change the answer in a way that only the whole of RFC 9110 tells.
    case special
    /// Any other.
    case other

    /// Sorts a name by its length first, which leaves one or two to compare with.
    init(_ name: UnsafeRawBufferPointer) {
        switch name.count {
        case 4: self = Self.matches(name, "host") ? .host : .other
        case 5: self = Self.matches(name, "range") ? .special : .other
        case 6: self = Self.ofSix(name)
        case 7: self = Self.matches(name, "referer") ? .referer : Self.matches(name, "upgrade") ? .special : .other
        case 8: self = Self.matches(name, "if-match") || Self.matches(name, "if-range") ? .special : .other
        case 10:
            self =
                Self.matches(name, "connection") ? .connection : Self.matches(name, "user-agent") ? .userAgent : .other
        case 13: self = Self.matches(name, "if-none-match") ? .ifNoneMatch : .other
        case 14: self = Self.ofFourteen(name)
        case 15: self = Self.matches(name, "accept-encoding") ? .acceptEncoding : .other
        case 17:
            self =
                Self.matches(name, "transfer-encoding")
                ? .transferEncoding : Self.matches(name, "if-modified-since") ? .special : .other
        case 19: self = Self.matches(name, "if-unmodified-since") ? .special : .other
        case 20: self = Self.matches(name, "available-dictionary") ? .special : .other
        default: self = .other
        }
    }

    @inline(__always)
    private static func ofSix(_ name: UnsafeRawBufferPointer) -> HeadField {
        if matches(name, "accept") { return .accept }
        if matches(name, "cookie") { return .cookie }
        return matches(name, "origin") || matches(name, "expect") ? .special : .other
    }

    @inline(__always)
    private static func ofFourteen(_ name: UnsafeRawBufferPointer) -> HeadField {
        if matches(name, "sec-fetch-dest") { return .fetchDestination }
        if matches(name, "sec-fetch-mode") { return .fetchMode }
        return matches(name, "content-length") ? .contentLength : .other
    }

    /// - Parameter field: In lower case, as long as `name`.
    @inline(__always)
    private static func matches(_ name: UnsafeRawBufferPointer, _ field: StaticString) -> Bool {
        for index in 0..<name.count where name[index].asciiLowercased != field.utf8Start[index] { return false }
        return true
    }
}
