extension OriginURL {
    /// Whether a URL can lie under both, by whole components: they are equal, or one is a prefix of the other.
    ///
    /// The scheme isn't compared, only the host and the port as requests name them: a request in origin-form doesn't
    /// say its scheme (RFC 9112 §3.2.1), so that prefixes of both schemes compete for it. Ports 80 and 443 are defaults
    /// of one scheme or the other (RFC 9110 §4.2) and count as no port.
    package func overlaps(_ other: OriginURL) -> Bool {
        host == other.host && namedPort == other.namedPort
            && (components.starts(with: other.components) || other.components.starts(with: components))
    }

    /// The port; nil for one that is the default of a scheme.
    private var namedPort: Int? {
        port == Scheme.http.defaultPort || port == Scheme.https.defaultPort ? nil : port
    }
}
