import BundleModel
import HTTPCore
import HTTPTypes

/// What a connection is for: requests with the same key can share one. A value type.
struct ConnectionKey: Hashable, Sendable {
    let isSecure: Bool
    /// The host of the URL, in lower case, which names the origin in the TLS handshake.
    let host: String
    let port: Int
    /// Where to connect to instead.
    let target: ConnectTarget?
    /// The proxy between; nil for none.
    let proxy: ForwardProxy?
    /// Whether the proxy is asked for a tunnel. Otherwise it gets the requests, and forwards them.
    let isTunnelled: Bool

    /// - Parameters:
    ///   - proxies: Which proxy requests go through.
    ///   - mayUpgrade: Whether the request asks for another protocol, which needs a tunnel (RFC 6455 §4.1).
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when the certificate couldn't be checked: with
    ///   TLS, an address in the URL has to be the one that is connected to.
    init(
        _ url: AbsoluteURL,
        _ target: ConnectTarget?,
        through proxies: ForwardProxies = .none,
        mayUpgrade: Bool = false
    ) throws {
        if url.isSecure, let target, let address = NetworkAddress(url.host), address != NetworkAddress(target.host) {
            throw BundleError(
                .invalidArgument,
                "can't connect to \(Printable.text(target.host)) for https://\(url.hostAndPort): use a host name in the URL"
            )
        }
        isSecure = url.isSecure
        host = url.host.lowercased()
        port = url.port
        self.target = target
        let (endHost, endPort) = (target?.host ?? host, target?.port.map(Int.init) ?? port)
        proxy = try proxies.proxy(isSecure: isSecure, host: endHost, port: endPort)
        // A proxy that forwards requests connects to where their URLs say.
        isTunnelled = proxy != nil && (isSecure || target != nil || mayUpgrade)
    }

    /// The host at the other end, of a tunnel too.
    var endHost: String { target?.host ?? host }
    /// The port at the other end.
    var endPort: Int { target?.port.map(Int.init) ?? port }
    /// The host to look up: that of the proxy, or the one at the other end.
    var connectHost: String { proxy?.host ?? endHost }
    /// The port to connect to.
    var connectPort: Int { proxy?.port ?? endPort }
    /// The proxy that gets the requests and forwards them; nil for none, and for a tunnel.
    var forwardingProxy: ForwardProxy? { isTunnelled ? nil : proxy }
    /// What a tunnel leads to, for the proxy.
    var endAuthority: String { "\(endHost.contains(":") ? "[\(endHost)]" : endHost):\(endPort)" }
}
