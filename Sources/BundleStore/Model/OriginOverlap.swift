/// Two origins of different bundles of which one includes the other: only one of the bundles can answer for what both
/// cover.
///
/// A value type; safe to share between threads.
package struct OriginOverlap: Equatable, Sendable {
    /// The origin that is checked.
    package let origin: OriginURL
    /// The other bundle's.
    package let otherOrigin: OriginURL
    package let other: BundleName

    /// Every overlap of some origins with those of another bundle.
    package static func all(of origins: [OriginURL], with other: BundleManifest) -> [OriginOverlap] {
        origins.flatMap { origin in
            other.origins.map(\.origin).filter(origin.overlaps).map { otherOrigin in
                OriginOverlap(origin: origin, otherOrigin: otherOrigin, other: other.name)
            }
        }
    }

    /// Which of the two bundles answers for what both cover: the one with the longer prefix, and of equal prefixes the
    /// one whose name comes first.
    ///
    /// - Parameter name: The bundle that has ``origin``.
    package func winner(against name: BundleName) -> BundleName {
        let (depth, otherDepth) = (origin.components.count, otherOrigin.components.count)
        if depth != otherDepth { return depth > otherDepth ? name : other }
        return min(name, other)
    }
}

extension OriginOverlap: CustomStringConvertible {
    /// One phrase for people: `https://m.example.com/shop/ is an origin of shop too`.
    package var description: String {
        let (depth, otherDepth) = (origin.components.count, otherOrigin.components.count)
        if depth == otherDepth { return "\(origin) is an origin of \(other) too" }
        return depth > otherDepth
            ? "\(origin) lies in \(otherOrigin) of \(other)" : "\(origin) includes \(otherOrigin) of \(other)"
    }
}
