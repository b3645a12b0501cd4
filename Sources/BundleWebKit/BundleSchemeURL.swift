import OfflineBundles

/// URLs such as `bundle://shop/products/`: a bundle's name, and a path in it. They stand for URLs of the bundle's first origin, so
/// that all layers apply; what differs is the origin that the page has.
package struct BundleSchemeURL: Equatable, Sendable {
    package static let scheme = "bundle"

    package let name: BundleName
    /// With its slash, and the query.
    package let target: String

    package init?(_ url: String) {
        let prefix = Self.scheme + "://"
        guard url.lowercased().hasPrefix(prefix) else { return nil }
        let rest = url.dropFirst(prefix.count).prefix { $0 != "#" }
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        guard let name = BundleName(String(rest[..<end])) else { return nil }
        self.name = name
        target = rest[end...].hasPrefix("/") ? String(rest[end...]) : "/" + rest[end...]
    }

    /// The URL at the origin; nil when no mapping of the bundle has the path.
    package func url(in mappings: [OriginMapping]) -> String? {
        mappings.first { target.hasPrefix($0.path) }.map { "\($0.origin)\(target.dropFirst($0.path.count))" }
    }

    /// Where a redirect of the origin leads, in this scheme; the same text when it leads elsewhere.
    package func location(_ location: String, in mappings: [OriginMapping]) -> String {
        guard let mapping = mappings.first(where: { location.hasPrefix("\($0.origin)") }) else { return location }
        return "\(Self.scheme)://\(name)\(mapping.path)\(location.dropFirst("\(mapping.origin)".count))"
    }
}
