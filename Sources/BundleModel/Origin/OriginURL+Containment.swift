extension OriginURL {
    /// The scheme, host and port without a path: `https://m.example.com`.
    package var root: String { "\(scheme.rawValue)://\(authority)" }

    /// Whether a URL is this one or lies below it.
    package func contains(_ other: OriginURL) -> Bool {
        root == other.root && other.components.starts(with: components)
    }
}
