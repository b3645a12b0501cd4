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
