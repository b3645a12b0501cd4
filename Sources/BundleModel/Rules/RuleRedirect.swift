/// A redirect (RFC 9110 §15.4). A value type; safe to share between threads.
package struct RuleRedirect: Equatable, Sendable {
    /// The keys of a redirect.
    enum Key: String, CaseIterable {
        case status
        case to
    }

    /// The statuses that redirect.
    static let statuses: [Int64] = [301, 302, 303, 307, 308]
    /// The longest place in bytes.
    static let maximumByteCount = 2_048

    /// One of 301, 302, 303, 307 and 308.
    package let status: Int
    /// An absolute URL, or a path of the bundle that starts with a slash.
    package let place: String

    /// Returns nil for another status, or when `place` is neither an http or https URL nor a path with a slash at its
    /// start, has over 2,048 bytes, or isn't ASCII.
    package init?(status: Int64, place: String) {
        guard Self.statuses.contains(status), Self.isPlace(place) else { return nil }
        self.status = Int(status)
        self.place = place
    }

    /// Whether `text` may be the place.
    static func isPlace(_ text: String) -> Bool {
        guard text.utf8.count <= maximumByteCount, HTTPSyntax.isFieldValue(text) else { return false }
        guard text.utf8.first == UInt8(ascii: "/") else { return (try? HTTPURL(text)) != nil }
        // Two slashes would start an authority (RFC 3986 §4.2).
        return !text.hasPrefix("//") && (try? HTTPURL("http://a\(text)")) != nil
    }

    /// The field value of `Location`.
    ///
    /// - Parameter root: The path of the bundle's root, as in the request, with a slash at its end.
    package func location(root: String) -> String {
        place.utf8.first == UInt8(ascii: "/") ? root + place.dropFirst() : place
    }
}
