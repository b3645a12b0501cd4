import BundleServing
import BundleStore
import HTTPTypes
import ServerCore

/// For which hosts the endpoint answers: the machine's own, those of mapped origins, and those that are allowed.
///
/// A page elsewhere can give its own host name the address of this machine (DNS rebinding), and would then read every response
/// as its own; but it can't make the browser send another `Host` than that name.
struct HostPolicy: Sendable {
    private let resolver: LiveResolver
    private let scheme: String
    private let own: OwnHosts

    /// - Parameters:
    ///   - resolver: Knows the mapped origins.
    ///   - scheme: `https` when requests come over TLS, otherwise `http`.
    ///   - listening: Where the endpoint listens, as the user named it.
    ///   - allowed: What the user allows besides.
    init(resolver: LiveResolver, scheme: String, listening: ListenAddress, allowed: Set<AllowedHost>) {
        self.resolver = resolver
        self.scheme = scheme
        own = OwnHosts(listening: listening, allowed: allowed)
    }

    /// The request as it is to be answered, or nil when it must be refused. A URL of the endpoint's own becomes a path, as
    /// most clients send it (RFC 9112 §3.2.2).
    ///
    /// - Parameter port: The port on which the request came in.
    func admitted(_ request: HTTPRequest, at port: Int?) -> HTTPRequest? {
        // Only HTTP/1.0 has requests without a host, and no browser makes them.
        guard let authority = request.authority else { return request }
        guard let url = try? HTTPURL("\(request.scheme ?? scheme)://\(authority)"), url.endsWithAuthority else {
            return nil
        }
        let isOwn = own.contains(url.host)
        guard isOwn || resolver.current.isMapped(host: url.host) else { return nil }
        // A Unix socket has no port, and stands for any.
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

    /// What is said to a request that isn't admitted (RFC 9110 §15.5.20).
    static func refusal(of request: HTTPRequest) -> Response {
        let response = Response.plain(
            .misdirectedRequest,
            "This server doesn't answer for the host \(Printable.text(request.authority ?? "")); its operator can allow it.",
            fields: [.cacheStatus: CacheStatus(nil, detail: "host").fieldValue]
        )
        return request.method == .head ? response.withoutBody : response
    }
}
