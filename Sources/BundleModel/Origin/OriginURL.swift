import Foundation

/// The URL prefix of a bundle's files on the web, for example `https://m.example.com/shop/`.
///
/// Two spellings of one prefix are equal: the host is in lower case, the scheme's default port is dropped, the path is
/// percent-decoded once and in Unicode normalisation form C, and a trailing slash is ignored. IPv6 addresses are
/// compared as written.
///
/// A value type; safe to share between threads.
public struct OriginURL: Hashable, Sendable {
    /// The schemes that an origin may have.
    public enum Scheme: String, Hashable, Sendable {
        /// HTTP in clear text.
        case http
        /// HTTP over TLS.
        case https

        /// 80 or 443 (RFC 9110 §4.2).
        public var defaultPort: Int {
            switch self {
            case .http: 80
            case .https: 443
            }
        }
    }

    /// `http` or `https`.
    public let scheme: Scheme
    /// The host in lower case; an IPv6 address with its brackets.
    public let host: String
    /// The port, 1 to 65535, or nil for the scheme's default.
    public let port: Int?
    /// The decoded components of the path; empty for the whole host. No component is empty, `.` or `..`, or contains a
    /// slash.
    public let components: [String]

    /// Parses an absolute URL.
    ///
    /// - Throws: ``OriginURLError`` when `string` isn't an `http` or `https` URL with a host, has user information, a query
    ///   or a fragment, or a path that couldn't be a folder.
    public init(_ string: String) throws(OriginURLError) {
        let url = try HTTPURL(string)
        if url.hasFragment { throw OriginURLError(url: string, reason: .fragment) }
        if url.hasQuery { throw OriginURLError(url: string, reason: .query) }
        guard let components = OriginURL.components(of: url.path) else {
            throw OriginURLError(url: string, reason: .path)
        }
        scheme = url.scheme
        host = url.host
        port = url.port
        self.components = components
    }

    /// The host, with the port unless it is the scheme's default: the value of `Host` in a request for this origin.
    public var authority: String {
        port.map { "\(host):\($0)" } ?? host
    }

    private static func components(of path: Substring.UTF8View) -> [String]? {
        let slash = UInt8(ascii: "/")
        var inner = path.dropFirst()
        if inner.last == slash { inner = inner.dropLast() }
        guard !inner.isEmpty else { return path.count > 1 ? nil : [] }
        let components = inner.split(separator: slash, omittingEmptySubsequences: false).map(component)
        return components.contains(nil) ? nil : components.compactMap(\.self)
    }

    private static func component(_ encoded: Substring.UTF8View) -> String? {
        guard let decoded = PercentEncoding.decode(encoded)?.precomposedStringWithCanonicalMapping,
            // An encoded slash would make one component look like two.
            !decoded.utf8.contains(UInt8(ascii: "/")), BundlePathError.Reason.first(in: decoded) == nil
        else { return nil }
        return decoded
    }
}

extension OriginURL: CustomStringConvertible {
    /// The URL in its canonical spelling, with a trailing slash.
    public var description: String {
        let path = components.map { PercentEncoding.encode(component: $0) + "/" }.joined()
        return "\(scheme.rawValue)://\(authority)/\(path)"
    }
}

extension OriginURL {
    /// The scheme, host and port without a path: `https://m.example.com`.
    package var root: String { "\(scheme.rawValue)://\(authority)" }

    /// Whether a URL is this one or lies below it.
    package func contains(_ other: OriginURL) -> Bool {
        root == other.root && other.components.starts(with: components)
    }
}

/// A string that isn't a valid origin URL.
public struct OriginURLError: Error, Hashable, Sendable {
    /// Why a URL was refused.
    public enum Reason: Hashable, Sendable, CaseIterable {
        /// Doesn't start with `http://` or `https://`.
        case notHTTP
        /// Has a user name or password before the host.
        case userInformation
        /// Has no host, or one that is neither a name nor an address.
        case host
        /// Has a host name outside ASCII, which requests carry only in its `xn--` form.
        case hostNotASCII
        /// Has a port that isn't a number from 1 to 65535.
        case port
        /// Has a `?` part.
        case query
        /// Has a `#` part.
        case fragment
        /// Has a space or another character that isn't allowed in a URL.
        case character
        /// Has a path with an invalid percent-encoding, or a component that can't be a folder.
        case path
    }

    /// The URL as given.
    public let url: String
    /// Why it was refused.
    public let reason: Reason

    /// Creates an error for `url`.
    public init(url: String, reason: Reason) {
        self.url = url
        self.reason = reason
    }
}

extension OriginURLError: CustomStringConvertible {
    /// One sentence that names the URL and the problem.
    public var description: String {
        "“\(Printable.text(url))” \(explanation)"
    }

    private var explanation: String {
        switch reason {
        case .notHTTP: "is not an http or https URL"
        case .userInformation: "has a user name or password; leave it out"
        case .host: "has no valid host"
        case .hostNotASCII: "has a host outside ASCII; write its “xn--” form"
        case .port: "has a port that is not a number from 1 to 65535"
        case .query: "has a query; leave out “?” and what follows"
        case .fragment: "has a fragment; leave out “#” and what follows"
        case .character: "has a character that must be percent-encoded"
        case .path: "has a path with an empty, “.” or “..” component, or a wrong percent-encoding"
        }
    }
}

/// Maps a URL prefix to a folder of a bundle: with `https://m.example.com/shop/` ↔ `/`, the file `app.js` is served for
/// `https://m.example.com/shop/app.js`. A value type; safe to share between threads.
public struct OriginMapping: Hashable, Sendable {
    /// The keys of a mapping in `bundle.json`.
    enum Key: String, CaseIterable {
        case url
        case path
    }

    /// The URL prefix.
    public let origin: OriginURL
    /// The folder in the bundle, or nil for its root.
    public let folder: BundlePath?

    /// Maps `origin` to `folder`; nil is the bundle's root.
    public init(origin: OriginURL, folder: BundlePath? = nil) {
        self.origin = origin
        self.folder = folder
    }

    /// The folder as the manifest writes it: `/`, or `/assets/`.
    public var path: String {
        folder.map { "/\($0)/" } ?? "/"
    }
}

extension OriginMapping: CustomStringConvertible {
    /// Both sides as text: `https://m.example.com/shop/ ↔ /`.
    public var description: String { "\(origin) ↔ \(path)" }
}
