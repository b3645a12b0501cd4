import BundleStore
import HTTPTypes

/// The version cookies of a request: of which release each bundle's page is that asks. A value type; safe to share
/// between threads.
package struct VersionCookies: Hashable, Sendable {
    /// No cookie at all.
    package static let none = VersionCookies(versions: [:])

    private let versions: [String: String]

    private init(versions: [String: String]) {
        self.versions = versions
    }

    /// Reads the value of `Cookie` (RFC 6265 §4.2). Of several cookies with one name the first counts, which is that of
    /// the longest path (§5.4).
    package init(_ fieldValue: String?) {
        let pairs = Self.pairs(fieldValue ?? "").filter(Self.isVersion).compactMap { pair -> (String, String)? in
            guard let equals = pair.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            return (String(pair[..<equals]), String(Substring(pair.utf8[equals...].dropFirst())))
        }
        versions = Dictionary(pairs) { first, _ in first }
    }

    /// The release among `releases`, all of one bundle, that the asking page is of.
    func release(among releases: [Release]) -> Release? {
        guard !versions.isEmpty, let name = releases.first?.name,
            let value = versions[VersionCookie.name(of: name)]
        else { return nil }
        let version = value.prefix { $0 != VersionCookie.publisherSeparator }
        return releases.first { $0.version.string == version }
    }

    /// Whether a page of a bundle asks, of whichever version.
    package func arePresent(of bundle: BundleName) -> Bool { versions[VersionCookie.name(of: bundle)] != nil }

    /// Whether a cookie is among them.
    package func contains(_ cookie: VersionCookie) -> Bool { versions[cookie.name] == cookie.value }

    /// The same for the cookie that tells the bundle's publisher.
    package func contains(_ cookie: PublisherCookie) -> Bool { versions[PublisherCookie.name] == cookie.value }

    /// The value of `Cookie` without them, nil when nothing is left: they are nobody else's business.
    package static func removed(from fieldValue: String?) -> String? {
        guard let fieldValue else { return nil }
        let all = pairs(fieldValue)
        let others = all.filter { !isVersion($0) }
        guard others.count < all.count else { return fieldValue }
        return others.isEmpty ? nil : others.joined(separator: "; ")
    }

    /// Calls `body` with each cookie of this server in a value of `Cookie`, `name=value`, in their order.
    package static func forEach(in fieldValue: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
        var prefix = VersionCookie.namePrefix
        prefix.withUTF8 { prefix in
            let prefix = UnsafeRawBufferPointer(prefix)
            // Most requests have none, whatever other cookies there are.
            guard fieldValue.contains(bytesOf: prefix) else { return }
            for cookie in fieldValue.split(separator: UInt8(ascii: ";")) {
                let cookie = UnsafeRawBufferPointer(rebasing: cookie.drop { $0 == UInt8(ascii: " ") })
                if cookie.starts(with: prefix) { body(cookie) }
            }
        }
    }

    /// The value of `Cookie` with them alone, nil when there is none.
    static func kept(in fieldValue: String) -> String? {
        let own = pairs(fieldValue).filter(isVersion)
        return own.isEmpty ? nil : own.joined(separator: "; ")
    }

    /// By bytes, as ``forEach(in:_:)`` reads them: a semicolon and a combining mark behind it are one Character.
    private static func pairs(_ fieldValue: String) -> [Substring] {
        fieldValue.utf8.split(separator: UInt8(ascii: ";")).map { Substring($0.drop { $0 == UInt8(ascii: " ") }) }
            .filter { !$0.isEmpty }
    }

    private static func isVersion(_ pair: Substring) -> Bool { pair.utf8.starts(with: VersionCookie.namePrefix.utf8) }
}
