import BundleNetwork
import BundleServing
import BundleStore
import HTTPTypes
import ServerCore

/// The hosts that the endpoint serves: the machine's own, those of mapped origins, and those that are allowed.
///
/// A page elsewhere can point its own host name to this machine's address (DNS rebinding), and could then read every
/// response as its own; but the browser sends that name in `Host`.
struct HostPolicy: Sendable {
    private let resolver: LiveResolver
    private let scheme: String
    private let own: OwnHosts

    /// - Parameters:
    ///   - resolver: The source of the mapped origins.
    ///   - scheme: `https` when requests come over TLS, otherwise `http`.
    ///   - listening: The address that the endpoint listens on, as the user named it.
    ///   - allowed: The hosts that the user allows in addition.
    init(resolver: LiveResolver, scheme: String, listening: ListenAddress, allowed: Set<AllowedHost>) {
        self.resolver = resolver
        self.scheme = scheme
        own = OwnHosts(listening: listening, allowed: allowed)
    }

    /// The request to respond to; nil when it must be refused. An absolute URL of the endpoint itself becomes a path,
    /// which most clients send (RFC 9112 §3.2.2).
    ///
    /// - Parameter port: The port on which the request arrived; nil on a Unix socket.
    func admitted(_ request: HTTPRequest, at port: Int?) -> HTTPRequest? {
        // Only HTTP/1.0 has requests without a host, and no browser sends them.
        guard let authority = request.authority else { return request }
        guard let url = try? HTTPURL("\(request.scheme ?? scheme)://\(authority)"), url.endsWithAuthority else {
            return nil
        }
        let isOwn = own.contains(url.host)
        guard isOwn || resolver.current.isMapped(host: url.host) else { return nil }
        // A Unix socket has no port, and matches any.
        let isHere = port.map { url.port ?? url.scheme.defaultPort == $0 } ?? true
        guard isOwn, request.scheme == scheme, isHere else { return request }
        var request = request
        request.scheme = nil
        return request
    }

    /// Whether a request is for a name under `localhost`, each of which is a bundle's own.
    static func isName(_ request: HTTPRequest) -> Bool {
        guard let host = RequestTarget("/", host: request.authority)?.host else { return false }
        return LocalHost.isName(host)
    }

    /// The response to a request that isn't admitted (RFC 9110 §15.5.20).
    static func refusal(of request: HTTPRequest) -> Response {
        let response = Response.plain(
            .misdirectedRequest,
            "This server doesn't serve the host \(Printable.text(request.authority ?? "")); its operator can allow it.",
            fields: [.cacheStatus: CacheStatus(nil, detail: "host").fieldValue]
        )
        return request.method == .head ? response.withoutBody : response
    }
}

/// The hosts that count as the machine's own, on any port: those of its loopback interface, the one that it listens on, or
/// the addresses of all interfaces if it listens on all, and those that the user allows.
struct OwnHosts: Sendable {
    private let allowed: Set<AllowedHost>
    /// Nil when the server listens on certain addresses only.
    private let interfaces: InterfaceAddresses?

    /// - Parameters:
    ///   - listening: The address that the server listens on, as the user named it.
    ///   - allowed: The hosts that the user allows in addition.
    ///   - interfaces: The addresses of the machine, which count when the server listens on all of them.
    init(
        listening: ListenAddress,
        allowed: Set<AllowedHost>,
        interfaces: InterfaceAddresses = InterfaceAddresses()
    ) {
        self.interfaces = Self.isWildcard(listening) ? interfaces : nil
        if case .tcp(let host, _) = listening {
            let host = host.contains(":") ? "[\(host)]" : host
            self.allowed = allowed.union([.named(host.lowercased())])
        } else {
            self.allowed = allowed
        }
    }

    /// Sockets from a service manager are usually on all addresses, and don't say so here.
    private static func isWildcard(_ address: ListenAddress) -> Bool {
        switch address {
        case .tcp(let host, _): NetworkAddress(host).map { NetworkScope(of: $0) == .unspecified } ?? false
        case .inherited: true
        case .unix: false
        }
    }

    /// Whether a host is an address of this machine. A page elsewhere can't point an address to another machine, as it can
    /// a name (DNS rebinding).
    private func isInterface(_ host: String) -> Bool {
        guard let interfaces, LocalHost.isAddress(host) else { return false }
        let address = host.hasPrefix("[") ? host.dropFirst().dropLast() : host[...]
        return NetworkAddress(address).map(interfaces.contains) ?? false
    }

    /// The hosts that were named explicitly.
    var names: Set<String> { Set(allowed.compactMap { if case .named(let host) = $0 { host } else { nil } }) }

    /// Whether a host is among them; an IPv6 address has its brackets.
    func contains(_ host: String) -> Bool {
        allowed.contains(.named(host)) || allowed.contains(.any) || LocalHost.isLoopback(host) || LocalHost.isName(host)
            || isInterface(host)
    }

    /// Whether the host of a `Host` field's value is among them; false for an invalid value.
    func contains(authority: String) -> Bool {
        guard let url = try? HTTPURL("http://\(authority)"), url.endsWithAuthority else { return false }
        return contains(url.host)
    }
}

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
