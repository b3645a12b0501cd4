import BundleModel


/// The cookie that identifies the release of a page in its requests, so that after an activation the page gets its late
/// parts from the release that it began on. There is one per bundle: `offline-bundles.shop=1.0.0` (RFC 6265).
///
/// A value type; safe to share between threads.
package struct VersionCookie: Hashable, Sendable {
    /// The prefix of all these cookies' names.
    package static let namePrefix = "offline-bundles."

    /// `offline-bundles.shop`
    package let name: String
    /// The version.
    package let value: String

    /// Precedes the part that distinguishes the publisher from an earlier one with equal versions. No version contains
    /// it.
    static let publisherSeparator = Character("~")

    /// The cookie of a page of `release`.
    ///
    /// - Parameters:
    ///   - release: The release of the page.
    ///   - publisher: The bundle's publisher cookie; nil where there was no earlier publisher.
    package init(_ release: ReleaseName, of publisher: PublisherCookie? = nil) {
        name = Self.name(of: release.name)
        value = release.version.string + (publisher.map { "\(Self.publisherSeparator)\($0.value.prefix(8))" } ?? "")
    }

    static func name(of bundle: BundleName) -> String { namePrefix + bundle.string }

    /// The cookie as a client sends it, `name=value`.
    package var pair: String { "\(name)=\(value)" }

    /// The value of `Set-Cookie` for a page of a bundle that is served under `path`. The cookie ends with the browser's
    /// session; scripts can't read it, and requests of other sites don't carry it.
    package func fieldValue(path: String) -> String {
        // A semicolon would end the attribute.
        "\(pair); Path=\(path.utf8.contains(UInt8(ascii: ";")) ? "/" : path); SameSite=Lax; HttpOnly"
    }
}
