import BundleModel
import HTTPTypes

/// The version cookies of a request: the release of the requesting page, for each bundle. A value type; safe to share
/// between threads.
package struct VersionCookies: Hashable, Sendable {
    /// No cookies.
    package static let none = VersionCookies(versions: [:])

    private let versions: [String: String]

    private init(versions: [String: String]) {
        self.versions = versions
    }

    /// Parses the value of `Cookie` (RFC 6265 §4.2). Of several cookies with one name the first counts, which is that
    /// with the longest path (§5.4).
    package init(_ fieldValue: String?) {
        var versions: [String: String] = [:]
        Self.withBytes(of: fieldValue) { bytes in
            Self.forEach(in: bytes) { cookie in
                guard let equals = cookie.firstIndex(of: UInt8(ascii: "=")) else { return }
                let name = String(decoding: cookie[..<equals], as: UTF8.self)
                guard versions[name] == nil else { return }
                versions[name] = String(decoding: cookie[(equals + 1)...], as: UTF8.self)
            }
        }
        self.versions = versions
    }

    /// Whether there is none.
    package var areEmpty: Bool { versions.isEmpty }

    /// The version of the page that makes the request, as the cookie of its bundle has it; nil without one.
    package func version(of bundle: BundleName) -> String? {
        versions[VersionCookie.name(of: bundle)].map { String($0.prefix { $0 != VersionCookie.publisherSeparator }) }
    }

    /// Whether a page of a bundle makes the request, of any version.
    package func arePresent(of bundle: BundleName) -> Bool { versions[VersionCookie.name(of: bundle)] != nil }

    /// Whether a cookie is among them.
    package func contains(_ cookie: VersionCookie) -> Bool { versions[cookie.name] == cookie.value }

    /// The same for the cookie of the bundle's publisher.
    package func contains(_ cookie: PublisherCookie) -> Bool { versions[PublisherCookie.name] == cookie.value }

    /// The fields of a request without them, for origins. Other cookies keep the bytes that they were received with.
    package static func removed(from fields: HTTPFields) -> HTTPFields {
        guard fields.contains(.cookie) else { return fields }
        return HTTPFields(fields.compactMap { $0.name == .cookie ? removed(from: $0) : $0 })
    }

    /// Nil when nothing is left.
    private static func removed(from field: HTTPField) -> HTTPField? {
        field.withUnsafeBytesOfValue { value in
            var others: [[UInt8]] = []
            var count = 0
            forEachCookie(in: UnsafeRawBufferPointer(value)) { cookie, isVersion in
                count += 1
                if !isVersion { others.append(Array(cookie)) }
            }
            guard others.count < count else { return field }
            guard !others.isEmpty else { return nil }
            return HTTPField(name: .cookie, value: Array(others.joined(separator: "; ".utf8)))
        }
    }

    /// Calls `body` with each cookie of this server in a value of `Cookie`, `name=value`, in their order.
    package static func forEach(in fieldValue: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
        var prefix = VersionCookie.namePrefix
        // Most requests have none, whatever other cookies there are.
        guard prefix.withUTF8({ fieldValue.contains(bytesOf: UnsafeRawBufferPointer($0)) }) else { return }
        forEachCookie(in: fieldValue) { cookie, isVersion in
            if isVersion { body(cookie) }
        }
    }

    /// By bytes: a semicolon and a combining mark behind it are one Character.
    private static func forEachCookie(
        in fieldValue: UnsafeRawBufferPointer,
        _ body: (_ cookie: UnsafeRawBufferPointer, _ isVersion: Bool) -> Void
    ) {
        for pair in fieldValue.split(separator: UInt8(ascii: ";")) {
            let cookie = UnsafeRawBufferPointer(rebasing: pair.drop { $0 == UInt8(ascii: " ") })
            if !cookie.isEmpty { body(cookie, cookie.starts(with: VersionCookie.namePrefix.utf8)) }
        }
    }

    private static func withBytes(of fieldValue: String?, _ body: (UnsafeRawBufferPointer) -> Void) {
        var fieldValue = fieldValue ?? ""
        fieldValue.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}

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
