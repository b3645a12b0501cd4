import BundleStore

/// Tells of origins that two bundles claim: only one of them can answer.
enum OriginClaims {
    /// One line for each origin of `manifest` that another bundle's active release has too.
    static func warnings(_ manifest: BundleManifest, in snapshot: StoreSnapshot) -> [String] {
        let others = snapshot.sortedBundles.filter { $0.name != manifest.name }
        return manifest.origins.flatMap { mapping in
            others.filter { $0.claims(mapping.origin) }.map { other in
                let winner = min(manifest.name, other.name)
                return "\(mapping.origin) is an origin of \(other.name) too; \(winner) answers for it"
            }
        }
    }
}

extension InstalledBundle {
    fileprivate func claims(_ origin: OriginURL) -> Bool {
        active?.manifest.origins.contains { $0.origin == origin } ?? false
    }
}
