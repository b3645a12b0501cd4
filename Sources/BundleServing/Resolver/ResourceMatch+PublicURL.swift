import BundleStore

/// Where clients see a bundle behind a proxy.
extension ResourceMatch {
    /// The public URL that the request belongs to; nil when it has come to the endpoint directly.
    package var publicURL: OriginURL? { routes.addresses.publicURL(of: target) }

    /// The path below which clients see the host's root, with a slash at both ends. What they see beside it is the proxy's.
    package var basePath: String {
        publicURL.map { "/" + CookieScope.path(of: $0.components) } ?? "/"
    }

    /// Whether clients see the host's root as the root.
    var isAtRoot: Bool { publicURL?.components.isEmpty ?? true }

    /// ``rootPath`` as clients see it.
    package var publicRootPath: String { basePath + rootPath.dropFirst() }
}

extension BundleAddresses {
    /// The public URL to which a request belongs: one with its host, and its port if the request names one.
    package func publicURL(of target: RequestTarget) -> OriginURL? {
        guard !publicURLs.isEmpty, target.scheme == nil, let host = target.host else { return nil }
        let port = Int(target.port.dropFirst())
        return publicURLs.first { $0.host == host && (port == nil || port == $0.port ?? $0.scheme.defaultPort) }
    }
}

extension ResourceResolver {
    /// The target with which a browser's request for a URL of this server arrives, through a proxy or not; nil for a URL
    /// beside what the proxy passes on.
    package func received(_ url: RequestTarget) -> RequestTarget? {
        let target = RequestTarget(url.path + url.query, host: url.authority)
        guard let publicURL = target.flatMap(routes.addresses.publicURL) else { return target }
        let base = CookieScope.path(of: publicURL.components)
        guard url.path.hasPrefix("/" + base) else { return nil }
        return RequestTarget("/" + url.path.dropFirst(base.count + 1) + url.query, host: url.authority)
    }
}
