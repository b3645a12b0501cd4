/// A host, and the port unless it is the origin's, that is connected to for an origin. A value type; safe to share
/// between threads.
package struct ConnectAddress: Hashable, Sendable {
    /// In lower case, an IPv6 address with its brackets.
    package let host: String
    /// Nil for the origin's port.
    package let port: Int?

    /// Reads `host` or `host:port`; nil for anything else.
    package init?(_ text: String) {
        // Each has no port where it is the default of its own scheme.
        guard let url = try? HTTPURL("http://\(text)"), let other = try? HTTPURL("https://\(text)"),
            url.endsWithAuthority
        else { return nil }
        host = url.host
        port = url.port ?? other.port
    }

    /// As it is written.
    package var string: String { port.map { "\(host):\($0)" } ?? host }
}
