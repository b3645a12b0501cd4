/// The cookie of a browser that keeps nothing of an earlier publisher of a bundle's name on the bundle's own host. Only where there
/// was another one it is asked for.
///
/// A value type; safe to share between threads.
package struct PublisherCookie: Hashable, Sendable {
    /// No bundle has a name with a plus sign. Like version cookies it goes to no origin, and none can set it.
    package static let name = VersionCookie.namePrefix + "+publisher"

    /// In seconds, 400 days: no browser keeps a cookie for longer (RFC 6265bis §5.5).
    private static let maximumAge = 400 * 86_400

    /// What nobody else can know, see `InstalledBundle.publisherMark`.
    package let value: String

    /// The cookie with a mark.
    package init(mark: String) {
        value = mark
    }

    /// The value of `Set-Cookie`. No script sees it, so that no page can tell another one's browser what to send.
    package var fieldValue: String {
        "\(Self.name)=\(value); Path=/; Max-Age=\(Self.maximumAge); SameSite=Lax; HttpOnly"
    }
}
