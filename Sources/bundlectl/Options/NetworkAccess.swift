import BundleNetwork
import BundleTransport

/// How this process reaches other hosts. A value type.
struct NetworkAccess: Sendable {
    /// Whose certificates are trusted.
    var trust = TrustedCertificates.system
    /// Which proxy requests go through.
    var proxies = ForwardProxies.none
    /// The users and passwords for feeds.
    var credentials = FeedCredentials.none

    /// A network for the requests of a command.
    func transport() -> NIOTransport { NIOTransport(trust: trust, proxies: proxies) }
}
