import BundleModel


/// The parts of an absolute `http` or `https` URL (RFC 3986 §4.3), in place. The fragment is left out.
package struct URLBytes {
    package let scheme: OriginURL.Scheme
    /// As it was sent; not empty.
    package let authority: UnsafeRawBufferPointer
    /// Empty, or starting with a slash.
    package let path: UnsafeRawBufferPointer
    /// Empty, or starting with a question mark.
    package let query: UnsafeRawBufferPointer

    /// Returns nil for another scheme, and for an authority that is empty or has user information.
    package init?(_ url: UnsafeRawBufferPointer) {
        guard let (scheme, start) = Self.scheme(of: url) else { return nil }
        var end = start
        while end < url.count, !Self.endsAuthority(url[end]) {
            guard url[end] != UInt8(ascii: "@") else { return nil }
            end += 1
        }
        guard end > start else { return nil }
        self.scheme = scheme
        authority = UnsafeRawBufferPointer(rebasing: url[start..<end])
        (path, query) = Self.split(UnsafeRawBufferPointer(rebasing: url[end...]))
    }

    /// The path and the query of a target, without its fragment.
    package static func split(
        _ target: UnsafeRawBufferPointer
    ) -> (path: UnsafeRawBufferPointer, query: UnsafeRawBufferPointer) {
        var pathEnd = 0
        while pathEnd < target.count, !endsPath(target[pathEnd]) { pathEnd += 1 }
        var end = pathEnd
        while end < target.count, target[end] != UInt8(ascii: "#") { end += 1 }
        return (
            UnsafeRawBufferPointer(rebasing: target[..<pathEnd]),
            UnsafeRawBufferPointer(rebasing: target[pathEnd..<end])
        )
    }

    private static func scheme(of url: UnsafeRawBufferPointer) -> (OriginURL.Scheme, end: Int)? {
        if UnsafeRawBufferPointer(rebasing: url.prefix(8)).isName("https://") { return (.https, 8) }
        return UnsafeRawBufferPointer(rebasing: url.prefix(7)).isName("http://") ? (.http, 7) : nil
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "/") || endsPath(byte) }

    private static func endsPath(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") }
}
