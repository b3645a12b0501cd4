/// Who publishes a bundle, as far as its manifest tells: the hosts of its origins, with their ports. The scheme doesn't count, as
/// for ``OriginURL/overlaps(_:)``: who turns to `https` is no other publisher.
///
/// Pure; a value type, safe to share between threads.
package struct BundlePublisher: Hashable, Sendable {
    /// As ``OriginURL/authority`` has them.
    package let authorities: Set<String>

    package init(authorities: Set<String>) {
        self.authorities = authorities
    }

    package init(of manifest: BundleManifest) {
        self.init(authorities: Set(manifest.origins.map(\.origin.authority)))
    }

    /// Whether one may have what browsers keep for the other. Who adds or gives up an origin stays the same for as long as one is
    /// common; of bundles without any nothing tells publishers apart.
    package func isSame(as other: BundlePublisher) -> Bool {
        authorities == other.authorities || !authorities.isDisjoint(with: other.authorities)
    }
}
