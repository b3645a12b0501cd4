import BundleStore

/// A host that an endpoint serves in addition to the machine's own and those of mapped origins.
///
/// A value type; safe to share between threads.
public enum AllowedHost: Sendable, Hashable {
    /// Every host.
    case any
    /// One host, in lower case and on any port; an IPv6 address has its brackets.
    case named(String)

    /// Parses a host without a port, `kiosk.example` or `[fe80::1]`, or `*` for any. Returns nil for anything else.
    public init?(_ text: String) {
        if text == "*" {
            self = .any
        } else if let url = try? HTTPURL("http://\(text)"), url.host == text.lowercased() {
            self = .named(url.host)
        } else {
            return nil
        }
    }
}
