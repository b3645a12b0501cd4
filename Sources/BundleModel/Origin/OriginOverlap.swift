/// Two origins of different bundles, one of which includes the other: only one of the bundles can serve what both
/// cover.
///
/// A value type; safe to share between threads.
package struct OriginOverlap: Equatable, Sendable {
    /// The origin that is checked.
    package let origin: OriginURL
    /// The other bundle's.
    package let otherOrigin: OriginURL
    package let other: BundleName

    /// Every overlap of the given origins with those of another bundle.
    package static func all(of origins: [OriginURL], with other: BundleManifest) -> [OriginOverlap] {
        origins.flatMap { origin in
            other.origins.map(\.origin).filter(origin.overlaps).map { otherOrigin in
                OriginOverlap(origin: origin, otherOrigin: otherOrigin, other: other.name)
            }
        }
    }

    /// The bundle that serves what both cover: the one with the longer prefix, or if the prefixes are equal, the one
    /// whose name comes first.
    ///
    /// - Parameter name: The bundle with ``origin``.
    package func winner(against name: BundleName) -> BundleName {
        let (depth, otherDepth) = (origin.components.count, otherOrigin.components.count)
        if depth != otherDepth { return depth > otherDepth ? name : other }
        return min(name, other)
    }
}

extension OriginOverlap: CustomStringConvertible {
    /// A phrase for messages: `https://m.example.com/shop/ is an origin of shop too`.
    package var description: String {
        let (depth, otherDepth) = (origin.components.count, otherOrigin.components.count)
        if depth == otherDepth { return "\(origin) is an origin of \(other) too" }
        return depth > otherDepth
            ? "\(origin) lies in \(otherOrigin) of \(other)" : "\(origin) includes \(otherOrigin) of \(other)"
    }
}

extension OriginURL {
    /// Whether a URL can lie under both: they are equal, or one is a prefix of the other, by whole components.
    ///
    /// The scheme isn't compared, only the host and the port as requests name them: a request in origin-form doesn't
    /// say its scheme (RFC 9112 §3.2.1), so that prefixes of both schemes compete for it. Ports 80 and 443 are defaults
    /// of one scheme or the other (RFC 9110 §4.2) and count as no port.
    package func overlaps(_ other: OriginURL) -> Bool {
        host == other.host && namedPort == other.namedPort
            && (components.starts(with: other.components) || other.components.starts(with: components))
    }

    /// The port; nil for a default port of either scheme.
    private var namedPort: Int? {
        port == Scheme.http.defaultPort || port == Scheme.https.defaultPort ? nil : port
    }
}

/// The publisher of a bundle as far as its manifest identifies it: the hosts of its origins, with their ports. The
/// scheme doesn't count, as for ``OriginURL/overlaps(_:)``: switching to `https` doesn't change the publisher.
///
/// Pure; a value type, safe to share between threads.
package struct BundlePublisher: Hashable, Sendable {
    /// In the form of ``OriginURL/authority``.
    package let authorities: Set<String>

    package init(authorities: Set<String>) {
        self.authorities = authorities
    }

    package init(of manifest: BundleManifest) {
        self.init(authorities: Set(manifest.origins.map(\.origin.authority)))
    }

    /// Whether one may access the state that browsers keep for the other. A publisher that adds or drops an origin
    /// stays the same as long as one origin is common; bundles without origins can't be told apart.
    package func isSame(as other: BundlePublisher) -> Bool {
        authorities == other.authorities || !authorities.isDisjoint(with: other.authorities)
    }
}
