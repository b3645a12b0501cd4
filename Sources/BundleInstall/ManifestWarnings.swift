import BundleStore

/// The patterns of a manifest's `headers` and `immutable` that cover no file: a slip of the pen, after which something is
/// missing that the publisher relies on.
package enum PatternUse {
    /// How many patterns are named.
    private static let maximumCount = 5

    /// Whether there are patterns.
    package static func isNeeded(_ manifest: BundleManifest) -> Bool {
        !manifest.headers.isEmpty || manifest.immutable?.isEmpty == false
    }

    /// The warnings to show; none when each pattern covers a file.
    ///
    /// - Parameters:
    ///   - paths: The release's files. The time is in proportion to their number, unless the manifest has no patterns.
    ///   - source: Where the files come from.
    package static func warnings(
        _ manifest: BundleManifest,
        among paths: some Sequence<BundlePath>,
        in source: String
    ) -> [String] {
        guard isNeeded(manifest) else { return [] }
        let unused = [
            ("headers", manifest.unusedHeaderPatterns(among: paths)),
            ("immutable", manifest.unusedImmutablePatterns(among: paths)),
        ]
        return unused.compactMap { key, patterns in warning(key, patterns, in: source) }
    }

    private static func warning(_ key: String, _ unused: [PathPattern], in source: String) -> String? {
        guard !unused.isEmpty else { return nil }
        let shown = unused.prefix(maximumCount).map { "“\(Printable.text($0.string))”" }.joined(separator: ", ")
        let more = unused.count > maximumCount ? " and \(unused.count - maximumCount) more" : ""
        return "\(Printable.line(source)): \(BundleManifest.fileName): \(key): no file matches \(shown)\(more); "
            + "a pattern covers the path in the bundle, such as “/assets/*.js” or “/**”"
    }
}

/// Reports what a manifest declares immutable and isn't.
enum ImmutableFiles {
    private static let key = "\(BundleManifest.fileName): immutable"

    /// A line for files that another installed version of the bundle has with other content.
    static func warnings(_ manifest: BundleManifest, in snapshot: StoreSnapshot) -> [String] {
        guard manifest.immutable?.isEmpty == false, let bundle = snapshot.bundles[manifest.name],
            let release = bundle.release(manifest.version)
        else { return [] }
        let declared = release.assets.filter { $0.immutability == .manifest }
        let others = bundle.releases.filter { $0.version.string != release.version.string }
        let changed = declared.filter { asset in
            let digests = (try? BundlePath(asset.path)).map { path in others.compactMap { $0.asset(at: path)?.digest } }
            return digests?.contains { $0 != asset.digest } == true
        }
        guard let first = changed.first else { return [] }
        return [
            "\(key): “\(Printable.text(first.path))” has other content in another installed version"
                + (changed.count > 1 ? ", and \(changed.count - 1) more; browsers keep" : "; browsers keep")
                + " what they have for a year; rename what changes, or leave it out of the list"
        ]
    }
}

/// Reports URLs that two bundles claim: only one of them can serve a URL.
enum PermittedOverlaps {
    /// One line for each permitted overlap of an origin of `manifest` with one of another bundle's active release.
    static func warnings(_ manifest: BundleManifest, in snapshot: StoreSnapshot) -> [String] {
        snapshot.sortedBundles.filter { $0.name != manifest.name }.compactMap { $0.active?.manifest }
            .flatMap { OriginOverlap.all(of: manifest.origins.map(\.origin), with: $0) }
            .map { "\($0); \($0.winner(against: manifest.name)) serves what both cover" }
    }
}
