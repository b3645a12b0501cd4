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

/// Which proxy requests go through. This machine is never reached through one.
///
/// A value type; safe to share between threads.
public struct ForwardProxies: Sendable {
    /// All hosts are connected to directly.
    public static let none = ForwardProxies(http: nil, https: nil)

    /// A proxy that can't be used is an error of the requests that are to go through it.
    package typealias Choice = Result<ForwardProxy?, BundleError>

    private let http: Choice
    private let https: Choice
    private let exclusions: ProxyExclusions

    /// - Parameters:
    ///   - http: For `http` URLs.
    ///   - https: For `https` URLs: it is asked for a tunnel, in which the host's certificate is checked.
    ///   - excluded: The hosts that are connected to directly, as in `NO_PROXY`: names, which stand for their subdomains
    ///     too, addresses, networks such as `10.0.0.0/8`, each with a port if need be, or `*`, separated by commas or
    ///     spaces.
    public init(http: ForwardProxy?, https: ForwardProxy?, excluding excluded: String = "") {
        self.init(http: .success(http), https: .success(https), excluding: excluded)
    }

    package init(http: Choice, https: Choice, excluding excluded: String) {
        self.http = http
        self.https = https
        exclusions = ProxyExclusions(excluded)
    }

    /// The proxy for a host; nil when it is connected to directly.
    ///
    /// - Parameter host: A name or an address, an IPv6 address without its brackets.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when the proxy for it can't be used.
    func proxy(isSecure: Bool, host: String, port: Int) throws(BundleError) -> ForwardProxy? {
        let name = host.lowercased().trimmingFinalDot
        // A proxy on another machine would ask itself.
        guard NetworkScope(ofHost: name) != .loopback, !exclusions.contains(name, port: port) else { return nil }
        return try (isSecure ? https : http).get()
    }
}

/// The hosts that are reached without a proxy (`NO_PROXY`). Names aren't looked up for it: a network excludes only the
/// addresses that a URL has itself. A value type.
struct ProxyExclusions: Hashable, Sendable {
    private enum Entry: Hashable, Sendable {
        case all
        /// A name in lower case, and its subdomains.
        case name(String, port: Int?)
        case network(NetworkAddress, bitCount: Int, port: Int?)
    }

    private let entries: [Entry]

    /// Reads a list that commas or blanks separate. An entry that can't be understood excludes nothing.
    init(_ text: String) {
        entries = text.split { $0 == "," || $0.isWhitespace }.compactMap(Self.entry)
    }

    /// - Parameters:
    ///   - host: In lower case, an IPv6 address without its brackets.
    ///   - port: What is connected to there.
    func contains(_ host: String, port: Int) -> Bool {
        let address = NetworkAddress(lookedUp: host)
        return entries.contains { entry in
            switch entry {
            case .all: true
            case .name(let name, let number):
                address == nil && (host == name || host.hasSuffix(".\(name)")) && number ?? port == port
            case .network(let network, let bitCount, let number):
                address?.hasPrefix(network, bitCount: bitCount) == true && number ?? port == port
            }
        }
    }

    private static func entry(_ text: Substring) -> Entry? {
        guard text != "*" else { return .all }
        if let network = network(text, port: nil) { return network }
        let (host, port) = splitPort(text)
        if let network = network(host[...].withoutBrackets, port: port) { return network }
        // “.example.com” and “*.example.com” are as “example.com”, as in curl.
        let name = host.drop { $0 == "*" }.drop { $0 == "." }.lowercased()
        return name.isEmpty ? nil : .name(String(name), port: port)
    }

    /// An address, or a network by the number of its bits.
    private static func network(_ text: some StringProtocol, port: Int?) -> Entry? {
        let parts = text.split(separator: "/", maxSplits: 1)
        guard let first = parts.first, let address = NetworkAddress(String(first).withoutBrackets) else { return nil }
        let maximum = address.bytes.count * 8
        guard parts.count > 1 else { return .network(address, bitCount: maximum, port: port) }
        guard let bitCount = Int(parts[1]), (0...maximum).contains(bitCount) else { return nil }
        return .network(address, bitCount: bitCount, port: port)
    }

    private static func splitPort(_ text: Substring) -> (host: Substring, port: Int?) {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]) else {
            return (text, nil)
        }
        return (text[..<colon], port)
    }
}

extension Substring {
    fileprivate var withoutBrackets: String { String(self).withoutBrackets }
}
