import BundleStore

/// What a request asks for, taken apart: an absolute URL, or a path with the host it was sent to.
///
/// A value type; safe to share between threads.
public struct RequestTarget: Sendable, Hashable {
    /// `http` or `https` in lower case; nil when the request doesn't say, as in origin-form (RFC 9112 §3.2.1).
    public let scheme: String?
    /// Host and port in lower case, without the scheme's default port; nil when the request names none.
    public let authority: String?
    /// The path as it was sent, percent-encoded, starting with a slash.
    public let path: String
    /// The query with its question mark, or empty.
    public let query: String

    /// Parses an absolute `http` or `https` URL (RFC 3986 §4.3); a fragment is ignored. Returns nil for anything else.
    public init?(url: String) {
        // By bytes throughout, since a separator and a combining mark after it are one Character.
        let name = url.utf8.prefix { $0 != UInt8(ascii: ":") }
        let rest = url.utf8[name.endIndex...]
        let scheme = Substring(name).lowercased()
        guard scheme == "http" || scheme == "https", rest.starts(with: "://".utf8) else { return nil }
        let hierarchical = rest.dropFirst(3)
        let authority = hierarchical.prefix { !"/?#".utf8.contains($0) }
        guard !authority.isEmpty, !authority.contains(UInt8(ascii: "@")) else { return nil }
        let (path, query) = Self.split(hierarchical[authority.endIndex...])
        self.init(
            scheme: scheme,
            authority: Self.normalised(authority, scheme: scheme),
            path: path.isEmpty ? "/" : path,
            query: query
        )
    }

    /// Takes a request target as HTTP sends it: origin-form with the `Host` field's value, or absolute-form, whose own
    /// host counts (RFC 9112 §3.2.2). Returns nil for anything else.
    public init?(_ target: String, host: String?) {
        guard target.utf8.first == UInt8(ascii: "/") else {
            self.init(url: target)
            return
        }
        let (path, query) = Self.split(target.utf8[...])
        self.init(
            scheme: nil,
            authority: host.map { Self.normalised($0.utf8[...], scheme: nil) },
            path: path,
            query: query
        )
    }

    private init(scheme: String?, authority: String?, path: String, query: String) {
        self.scheme = scheme
        self.authority = authority
        self.path = path
        self.query = query
    }

    private static func split(_ target: Substring.UTF8View) -> (path: String, query: String) {
        let withoutFragment = target.prefix { $0 != UInt8(ascii: "#") }
        let path = withoutFragment.prefix { $0 != UInt8(ascii: "?") }
        return (String(Substring(path)), String(Substring(withoutFragment[path.endIndex...])))
    }

    /// An empty port is the default one, and zeros before it mean nothing (RFC 3986 §3.2.3).
    private static func normalised(_ authority: Substring.UTF8View, scheme: String?) -> String {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard let colon = authority.lastIndex(of: UInt8(ascii: ":")),
            case let port = authority[authority.index(after: colon)...],
            // Not so after a colon inside an IPv6 address.
            port.allSatisfy(digits.contains)
        else { return Substring(authority).lowercased() }
        let host = Substring(authority[..<colon]).lowercased()
        let number = String(Substring(port.drop { $0 == UInt8(ascii: "0") }))
        return port.isEmpty || defaultPorts(of: scheme).contains(number) ? host : "\(host):\(number)"
    }

    private static func defaultPorts(of scheme: String?) -> [String] {
        switch scheme {
        case "http": ["80"]
        case "https": ["443"]
        default: ["80", "443"]
        }
    }
}
