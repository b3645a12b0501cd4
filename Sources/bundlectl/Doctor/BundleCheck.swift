import BundleStore

/// The bundles: what opening their indexes and segments tells. Pure.
enum BundleCheck {
    static func findings(_ snapshot: StoreSnapshot) -> [Finding] {
        let damage = snapshot.damage.map { damage in
            Finding(.error, .bundles, damage.notice.problem, remedy: damage.remedy.map(Advice.text))
        }
        let idle = snapshot.sortedBundles.filter { $0.activeVersion == nil && !$0.isDegraded && !$0.releases.isEmpty }
        let bundles = idle.map { bundle in
            let version = bundle.releases.first.map { "\($0.version)" } ?? "VERSION"
            return Finding(
                .warning,
                .bundles,
                "\(bundle.name) has no active version",
                remedy: "bundlectl activate \(bundle.name)@\(version)"
            )
        }
        let findings = damage + snapshot.degradations.map { Finding(.error, .bundles, $0) } + bundles
        guard findings.isEmpty else { return findings }
        guard !snapshot.bundles.isEmpty else {
            return [Finding(.warning, .bundles, "none is installed", remedy: "bundlectl install ARCHIVE")]
        }
        let count = Quantity.text(snapshot.bundles.count, "bundle")
        return [Finding(.ok, .bundles, "\(count) can be opened; “bundlectl verify” reads all bytes")]
    }
}
