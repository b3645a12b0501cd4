import BundleModel
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

    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when the certificate couldn't be checked: with
    ///   TLS, an address in the URL has to be the one that is connected to.
    init(_ url: AbsoluteURL, _ target: ConnectTarget?) throws {
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
    }

    /// The host to look up.
    var connectHost: String { target?.host ?? host }
    /// The port to connect to.
    var connectPort: Int { target?.port.map(Int.init) ?? port }
}
