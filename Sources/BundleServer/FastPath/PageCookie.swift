import BundleServing
import BundleStore

/// Looks for version cookies among a request's bytes.
enum PageCookie {
    /// What a request's cookies say of a bundle.
    enum Standing {
        /// Nothing.
        case absent
        /// That the page is of the version in question.
        case current
        /// That it is of another one.
        case other
    }

    /// Whether a value of `Cookie` may have a version cookie of any bundle.
    static func mayBePresent(in value: UnsafeRawBufferPointer) -> Bool {
        var isPresent = false
        eachCookie(in: value) { cookie in
            isPresent = cookie.prefix(prefix.utf8.count).elementsEqual(prefix.utf8)
            return !isPresent
        }
        return isPresent
    }

    /// Compares a value of `Cookie` with a version cookie.
    ///
    /// - Parameters:
    ///   - pair: The cookie as it is sent back, `name=value`.
    ///   - nameByteCount: The length of its name with the equals sign.
    static func standing(
        of pair: UnsafeRawBufferPointer,
        nameByteCount: Int,
        in value: UnsafeRawBufferPointer
    ) -> Standing {
        guard !pair.isEmpty else { return .absent }
        let name = UnsafeRawBufferPointer(rebasing: pair[..<nameByteCount])
        var standing = Standing.absent
        eachCookie(in: value) { cookie in
            guard cookie.count >= nameByteCount,
                UnsafeRawBufferPointer(rebasing: cookie[..<nameByteCount]).hasSameBytes(as: name)
            else { return true }
            standing = cookie.hasSameBytes(as: pair) ? .current : .other
            return false
        }
        return standing
    }

    private static let prefix = VersionCookie.namePrefix

    /// Goes through the cookies (RFC 6265 §4.2.1) until `body` returns false.
    private static func eachCookie(
        in value: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer) -> Bool
    ) {
        var start = 0
        while start < value.count {
            while start < value.count, value[start] == UInt8(ascii: " ") || value[start] == UInt8(ascii: ";") {
                start += 1
            }
            var end = start
            while end < value.count, value[end] != UInt8(ascii: ";") { end += 1 }
            guard body(UnsafeRawBufferPointer(rebasing: value[start..<end])) else { return }
            start = end
        }
    }
}
