import BundleModel


/// What a request to an origin is for: its URL in the parts that the request names it by (RFC 9110 §7.1). Pure; a value
/// type, safe to share between threads.
package struct OriginTarget: Hashable, Sendable {
    /// `http` or `https`.
    package let scheme: String
    /// The host in lower case, and the port unless it is the scheme's.
    package let authority: String
    /// The path, which isn't empty, and the query with its question mark.
    package let path: String

    /// - Parameter url: An absolute URL; its fragment isn't part of what is requested.
    /// - Returns: Nil for a URL that isn't http or https, that has user information (RFC 9110 §4.2.4), or that isn't a
    ///   URL as in RFC 3986.
    package init?(_ url: String) {
        guard let parsed = try? HTTPURL(url) else { return nil }
        scheme = parsed.scheme.rawValue
        authority = parsed.port.map { "\(parsed.host):\($0)" } ?? parsed.host
        let target = String(Substring(parsed.target))
        path = target.utf8.first == UInt8(ascii: "/") ? target : "/" + target
    }

    /// The origin, which limits and the breaker count by.
    package var origin: String { "\(scheme)://\(authority)" }
}
