import BundleModel
import HTTPCore

/// An HTTP proxy through which other hosts are reached (RFC 9110 §3.7). Its description is its host and port, without
/// the password.
///
/// A value type; safe to share between threads.
public struct ForwardProxy: Hashable, Sendable {
    /// A name or an address, an IPv6 address without its brackets.
    let host: String
    let port: Int
    /// The user and the password for the proxy.
    let credential: BasicCredential?

    /// Takes a URL as other programs take it in `HTTPS_PROXY`: `http://user:password@host:port`. The scheme may be left out;
    /// the port is 80 without one; user and password are percent-encoded, and may be left out.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` for anything else. The message doesn't have the
    ///   password.
    public init(_ url: String) throws(BundleError) {
        let (scheme, authority) = Self.split(url)
        guard scheme == nil || scheme == "http" else {
            throw Self.refusal(of: url, "its scheme is \(Printable.text(scheme ?? "")), and only http is supported")
        }
        let (information, address) = Self.splitInformation(authority)
        // The path of a proxy's URL says nothing.
        let end = address.hasSuffix("/") ? address.dropLast() : address
        guard let parsed = try? HTTPURL("http://\(end)"), parsed.target.isEmpty, !parsed.hasFragment else {
            throw Self.refusal(of: url, "it has the form http://HOST:PORT")
        }
        host = parsed.host.withoutBrackets
        port = parsed.port ?? 80
        credential = information.flatMap(Self.credential)
        if information != nil, credential == nil { throw Self.refusal(of: url, "percent-encode its user and password") }
    }

    /// Whether a URL has a user or a password before its host.
    package static func hasCredential(_ url: String) -> Bool { splitInformation(split(url).authority).0 != nil }

    /// Host and port as a URL has them.
    package var authority: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }

    /// The scheme in lower case, and what follows.
    private static func split(_ url: String) -> (scheme: String?, authority: Substring) {
        guard let end = url.firstRange(of: "://") else { return (nil, url[...]) }
        return (url[..<end.lowerBound].lowercased(), url[end.upperBound...])
    }

    /// What is before the last `@`, and what is behind it: passwords may have one that isn't encoded.
    private static func splitInformation(_ authority: Substring) -> (Substring?, Substring) {
        guard let at = authority.lastIndex(of: "@") else { return (nil, authority) }
        return (authority[..<at], authority[authority.index(after: at)...])
    }

    private static func credential(_ information: Substring) -> BasicCredential? {
        let parts = information.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let user = parts.first.flatMap({ PercentEncoding.decode($0.utf8) }),
            let password = PercentEncoding.decode((parts.count > 1 ? parts[1] : "").utf8)
        else { return nil }
        return BasicCredential(user: user, password: password)
    }

    private static func refusal(of url: String, _ reason: String) -> BundleError {
        let (scheme, authority) = split(url)
        let shown = (scheme.map { "\($0)://" } ?? "") + splitInformation(authority).1
        return BundleError(.invalidArgument, "“\(Printable.text(shown))” is no proxy: \(reason)")
    }
}

extension ForwardProxy: CustomStringConvertible {
    /// Host and port.
    public var description: String { Printable.text(authority) }
}

extension String {
    /// An IPv6 address without the brackets that it has in a URL.
    var withoutBrackets: String { hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self }
}
