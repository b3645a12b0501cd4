import BundleStore

/// Reports URLs that two bundles claim: only one of them can serve a URL.
enum OriginClaims {
    /// One line for each permitted overlap of an origin of `manifest` with one of another bundle's active release.
    static func warnings(_ manifest: BundleManifest, in snapshot: StoreSnapshot) -> [String] {
        snapshot.sortedBundles.filter { $0.name != manifest.name }.compactMap { $0.active?.manifest }
            .flatMap { OriginOverlap.all(of: manifest.origins.map(\.origin), with: $0) }
            .map { "\($0); \($0.winner(against: manifest.name)) serves what both cover" }
    }
}
