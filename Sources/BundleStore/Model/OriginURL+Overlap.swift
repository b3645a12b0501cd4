extension OriginURL {
    /// Whether a URL can lie under both, by whole components: they are equal, or one is a prefix of the other.
    ///
    /// The scheme doesn't count, only the host and the port as requests name them: a request in origin-form doesn't say its
    /// scheme (RFC 9112 §3.2.1), so that prefixes of both schemes compete for it.
    package func overlaps(_ other: OriginURL) -> Bool {
        authority == other.authority
            && (components.starts(with: other.components) || other.components.starts(with: components))
    }
}
