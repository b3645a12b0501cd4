/// The cookie of a browser that has no data of an earlier publisher of a bundle's name on the bundle's own host. It is
/// required only where there was another publisher.
///
/// A value type; safe to share between threads.
package struct PublisherCookie: Hashable, Sendable {
    /// No bundle has a name with a plus sign. Like version cookies it is sent to no origin, and no origin can set it.
    package static let name = VersionCookie.namePrefix + "+publisher"

    /// In seconds, 400 days: no browser keeps a cookie for longer (RFC 6265bis §5.5).
    private static let maximumAge = 400 * 86_400

    /// A secret of this store, see `InstalledBundle.publisherMark`.
    package let value: String

    /// Creates the cookie for a mark.
    package init(mark: String) {
        value = mark
    }

    /// The value of `Set-Cookie`. Scripts can't read it, so that no page learns the value that another browser has to
    /// send.
    package var fieldValue: String {
        "\(Self.name)=\(value); Path=/; Max-Age=\(Self.maximumAge); SameSite=Lax; HttpOnly"
    }
}
