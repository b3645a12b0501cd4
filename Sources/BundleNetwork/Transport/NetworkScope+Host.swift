extension NetworkScope {
    /// The scope of a URL's host, in lower case and an IPv6 address in its brackets, as far as it says so itself. Nil for a name
    /// that could be anything.
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
