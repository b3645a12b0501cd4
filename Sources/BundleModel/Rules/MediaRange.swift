/// Media types: one, such as `text/html`, or all of a kind, such as `image/*` (RFC 9110 §12.5.1), without parameters.
/// A value type; safe to share between threads.
package struct MediaRange: Hashable, Sendable {
    /// The longest range in bytes.
    static let maximumByteCount = 128

    /// The range in lower case.
    package let string: String

    /// Returns nil for anything but two tokens with a slash between, of which only the second may be `*`.
    package init?(_ text: String) {
        let names = text.split(separator: "/", omittingEmptySubsequences: false)
        guard names.count == 2, names.allSatisfy(HTTPSyntax.isToken), text.utf8.count <= Self.maximumByteCount,
            !names[0].utf8.contains(UInt8(ascii: "*")), names[1] == "*" || !names[1].utf8.contains(UInt8(ascii: "*"))
        else { return nil }
        string = text.lowercased()
    }

    /// Whether it contains a media type, whose parameters don't count.
    package func contains(_ mediaType: String) -> Bool {
        let essence = mediaType.utf8.prefix { $0 != UInt8(ascii: ";") }.trimmingBlanks
        let text = Substring(essence).lowercased()
        return string.utf8.last == UInt8(ascii: "*") ? text.hasPrefix(string.dropLast()) : text == string
    }
}
