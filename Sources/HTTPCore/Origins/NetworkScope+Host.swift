import BundleModel

extension NetworkScope {
    /// The scope of a URL's host, which is in lower case, an IPv6 address in its brackets. Nil for a name that must be
    /// looked up.
    package init?(ofHost host: String) {
        // RFC 6761 §6.3.
        if host == "localhost" || host.hasSuffix(".localhost") {
            self = .loopback
        } else if let address = NetworkAddress(lookedUp: host.hasPrefix("[") ? host.dropFirst().dropLast() : host[...])
        {
            self = NetworkScope(of: address)
        } else {
            return nil
        }
    }
}
