import BundleStore

extension RequestTarget {
    /// The target as an endpoint receives it from a browser that opens the URL: a path, if the host belongs to a
    /// bundle.
    package func received(with addresses: BundleAddresses) -> RequestTarget {
        guard scheme != nil, let host, addresses.isOwn(host) else { return self }
        return RequestTarget(path + query, host: authority) ?? self
    }

    /// The same for a URL of the endpoint itself, as the address bar shows it: its host is the machine's own, or an IP
    /// address. Nil for anything else. The endpoint's port isn't known here: an origin that covers the URL comes first.
    package var atOwnAddress: RequestTarget? {
        guard scheme != nil, let host, LocalHost.isLoopback(host) || LocalHost.isAddress(host) else { return nil }
        return RequestTarget(path + query, host: authority)
    }
}
