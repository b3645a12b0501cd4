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
