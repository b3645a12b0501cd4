import BundleStore

/// The cookie by which the requests of a page say which release the page is of, so that after an activation the page gets
/// its late parts from the release that it began on. One a bundle: `offline-bundles.shop=1.0.0` (RFC 6265).
///
/// A value type; safe to share between threads.
package struct VersionCookie: Hashable, Sendable {
    /// What the names of all of them start with.
    package static let namePrefix = "offline-bundles."

    /// `offline-bundles.shop`
    package let name: String
    /// The version.
    package let value: String

    /// Begins what tells the publisher apart from an earlier one with equal versions. No version has it.
    static let publisherSeparator = Character("~")

    /// The cookie of a page of `release`.
    ///
    /// - Parameters:
    ///   - release: The release of the page.
    ///   - publisher: What a browser has that keeps nothing of an earlier publisher; nil where there was none.
    package init(_ release: Release, of publisher: PublisherCookie? = nil) {
        name = Self.name(of: release.name)
        value = release.version.string + (publisher.map { "\(Self.publisherSeparator)\($0.value.prefix(8))" } ?? "")
    }

    static func name(of bundle: BundleName) -> String { namePrefix + bundle.string }

    /// The cookie as it is sent back, `name=value`.
    package var pair: String { "\(name)=\(value)" }

    /// The value of `Set-Cookie` for a page of a bundle that answers under `path`. It ends with the browser's session, no
    /// script sees it, and no other site's requests have it.
    package func fieldValue(path: String) -> String {
        // A semicolon would end the attribute.
        "\(pair); Path=\(path.utf8.contains(UInt8(ascii: ";")) ? "/" : path); SameSite=Lax; HttpOnly"
    }
}
