import BundleNetwork
import HTTPTypes

/// What a connection is for: requests with the same key can share one. A value type.
struct ConnectionKey: Hashable, Sendable {
    let isSecure: Bool
    /// The host of the URL, in lower case, which names the origin in the TLS handshake.
    let host: String
    let port: Int
    /// Where to connect to instead.
    let target: ConnectTarget?

    init(_ url: AbsoluteURL, _ target: ConnectTarget?) {
        isSecure = url.isSecure
        host = url.host.lowercased()
        port = url.port
        self.target = target
    }

    /// The host to look up.
    var connectHost: String { target?.host ?? host }
    /// The port to connect to.
    var connectPort: Int { target?.port.map(Int.init) ?? port }
}
