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
