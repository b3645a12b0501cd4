import BundleStore

/// A path of the endpoint at which a bundle is served, besides `/NAME/`: `shop=/` serves it at the root.
///
/// A value type; safe to share between threads.
public struct Mount: Sendable, Hashable {
    /// The bundle.
    public let name: BundleName
    /// The decoded components of the path; empty for the root.
    public let components: [String]

    /// Parses `NAME=/PATH`. Returns nil when the name is invalid, or the path doesn't start with a slash or isn't a
    /// valid bundle path.
    public init?(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let name = BundleName(String(parts[0])), parts[1].hasPrefix("/"),
            let path = RequestPath(String(parts[1]))
        else { return nil }
        self.name = name
        components = path.components
    }
}
