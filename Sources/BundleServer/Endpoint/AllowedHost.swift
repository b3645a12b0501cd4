import BundleStore

/// A host for which an endpoint answers though it is neither the machine's own nor that of a mapped origin.
///
/// A value type; safe to share between threads.
public enum AllowedHost: Sendable, Hashable {
    /// Every host there is.
    case any
    /// This one, in lower case and on any port; an IPv6 address is in its brackets.
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
