import BundleStore

/// The patterns of a manifest's `headers` that cover no file: a slip of the pen, after which fields are missing that the
/// publisher relies on.
enum HeaderPatternUse {
    /// How many patterns are named.
    private static let maximumCount = 5

    /// The warning to show; none when each pattern covers a file.
    ///
    /// - Parameters:
    ///   - paths: The release's files. The time is in proportion to their number, unless the manifest has no patterns.
    ///   - source: Where the files come from.
    static func warnings(
        _ manifest: BundleManifest,
        among paths: some Sequence<BundlePath>,
        in source: String
    ) -> [String] {
        guard !manifest.headers.isEmpty else { return [] }
        let unused = manifest.unusedHeaderPatterns(among: paths).map { "“\(Printable.text($0.string))”" }
        guard !unused.isEmpty else { return [] }
        let more = unused.count > maximumCount ? " and \(unused.count - maximumCount) more" : ""
        return [
            "\(Printable.line(source)): \(BundleManifest.fileName): headers: no file matches "
                + "\(unused.prefix(maximumCount).joined(separator: ", "))\(more); a pattern covers the path in the bundle, "
                + "such as “/assets/*.js” or “/**”"
        ]
    }
}
