import BundleStore
import HTTPTypes

/// The version cookies of a request: the release of the requesting page, for each bundle. A value type; safe to share
/// between threads.
public struct VersionCookies: Hashable, Sendable {
    /// No cookies.
    public static let none = VersionCookies(versions: [:])

    private let versions: [String: String]

    private init(versions: [String: String]) {
        self.versions = versions
    }

    /// Parses the value of `Cookie` (RFC 6265 §4.2). Of several cookies with one name the first counts, which is that
    /// with the longest path (§5.4).
    public init(_ fieldValue: String?) {
        let pairs = Self.pairs(fieldValue ?? "").filter(Self.isVersion).compactMap { pair -> (String, String)? in
            guard let equals = pair.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            return (String(pair[..<equals]), String(Substring(pair.utf8[equals...].dropFirst())))
        }
        versions = Dictionary(pairs) { first, _ in first }
    }

    /// The release of the requesting page among `releases`, all of one bundle.
    func release(among releases: [Release]) -> Release? {
        guard !versions.isEmpty, let name = releases.first?.name,
            let value = versions[VersionCookie.name(of: name)]
        else { return nil }
        let version = value.prefix { $0 != VersionCookie.publisherSeparator }
        return releases.first { $0.version.string == version }
    }

    /// Whether a page of a bundle makes the request, of any version.
    public func arePresent(of bundle: BundleName) -> Bool { versions[VersionCookie.name(of: bundle)] != nil }

    /// Whether a cookie is among them.
    public func contains(_ cookie: VersionCookie) -> Bool { versions[cookie.name] == cookie.value }

    /// The same for the cookie of the bundle's publisher.
    public func contains(_ cookie: PublisherCookie) -> Bool { versions[PublisherCookie.name] == cookie.value }

    /// The value of `Cookie` without them, for origins; nil when nothing is left.
    public static func removed(from fieldValue: String?) -> String? {
        guard let fieldValue else { return nil }
        let all = pairs(fieldValue)
        let others = all.filter { !isVersion($0) }
        guard others.count < all.count else { return fieldValue }
        return others.isEmpty ? nil : others.joined(separator: "; ")
    }

    /// Calls `body` with each cookie of this server in a value of `Cookie`, `name=value`, in order.
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

    /// The value of `Cookie` with only these cookies; nil when there are none.
    static func kept(in fieldValue: String) -> String? {
        let own = pairs(fieldValue).filter(isVersion)
        return own.isEmpty ? nil : own.joined(separator: "; ")
    }

    /// By bytes, as ``forEach(in:_:)`` reads them: a semicolon and a combining mark after it are one Character.
    private static func pairs(_ fieldValue: String) -> [Substring] {
        fieldValue.utf8.split(separator: UInt8(ascii: ";")).map { Substring($0.drop { $0 == UInt8(ascii: " ") }) }
            .filter { !$0.isEmpty }
    }

    private static func isVersion(_ pair: Substring) -> Bool { pair.utf8.starts(with: VersionCookie.namePrefix.utf8) }
}
