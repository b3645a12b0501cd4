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
        guard let colon = url.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let scheme = url[..<colon].lowercased()
        let rest = url[colon...]
        guard scheme == "http" || scheme == "https", rest.hasPrefix("://") else { return nil }
        let hierarchical = rest.dropFirst(3)
        let authorityEnd = hierarchical.firstIndex { "/?#".contains($0) } ?? hierarchical.endIndex
        let authority = hierarchical[..<authorityEnd]
        guard !authority.isEmpty, !authority.contains("@") else { return nil }
        let (path, query) = Self.split(hierarchical[authorityEnd...])
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
        let (path, query) = Self.split(target[...])
        self.init(
            scheme: nil,
            authority: host.map { Self.normalised($0[...], scheme: nil) },
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

    private static func split(_ target: Substring) -> (path: String, query: String) {
        let withoutFragment = target.prefix { $0 != "#" }
        let path = withoutFragment.prefix { $0 != "?" }
        return (String(path), String(withoutFragment[path.endIndex...]))
    }

    private static func normalised(_ authority: Substring, scheme: String?) -> String {
        let lowercase = authority.lowercased()
        for (name, port) in [("http", ":80"), ("https", ":443")] where scheme == nil || scheme == name {
            if lowercase.hasSuffix(port) { return String(lowercase.dropLast(port.count)) }
        }
        return lowercase
    }
}
