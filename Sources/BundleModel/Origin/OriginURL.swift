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
