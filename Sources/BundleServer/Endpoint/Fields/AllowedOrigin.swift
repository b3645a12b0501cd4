import BundleStore

/// An origin whose pages may read an endpoint's responses (Fetch standard, “CORS protocol”).
///
/// A value type; safe to share between threads.
public enum AllowedOrigin: Sendable, Hashable {
    /// Every origin.
    case any
    /// One origin, as a browser sends it in `Origin`: `https://app.example`, `capacitor://localhost`, or `null` for
    /// pages from files and sandboxed frames.
    case named(String)

    /// Parses an origin (a scheme and a host with an optional port), `null`, or `*` for any. Case and a default port
    /// are ignored. Returns nil for anything else.
    public init?(_ text: String) {
        let text = text.lowercased()
        if text == "*" {
            self = .any
        } else if text == "null" {
            self = .named(text)
        } else if let url = try? HTTPURL(text) {
            guard url.path.isEmpty, !url.hasQuery, !url.hasFragment else { return nil }
            self = .named("\(url.scheme.rawValue)://\(url.host)" + (url.port.map { ":\($0)" } ?? ""))
        } else if let separator = text.firstRange(of: "://"), Self.isAppScheme(text[..<separator.lowerBound]),
            let url = try? HTTPURL("http" + text[separator.lowerBound...]),
            url.path.isEmpty, !url.hasQuery, !url.hasFragment
        {
            self = .named(text)
        } else {
            return nil
        }
    }

    /// Whether it is a scheme (RFC 3986 §3.1) other than HTTP's, as apps use for their own pages.
    private static func isAppScheme(_ text: Substring) -> Bool {
        guard let first = text.first, first.isASCII, first.isLetter, text != "http", text != "https" else {
            return false
        }
        return text.utf8.allSatisfy { HTTPSyntax.isTokenByte($0) && !"!#$%&'*^_`|~".utf8.contains($0) }
    }
}
