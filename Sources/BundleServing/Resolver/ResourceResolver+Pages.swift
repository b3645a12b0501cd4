import BundleStore

extension ResourceResolver {
    /// Whether pages of a bundle may be on a host: its own, one of its origins', or one where all bundles are served.
    ///
    /// - Parameter authority: Host and port as they were sent; nil when the request names none.
    package func hasPages(of name: BundleName, at authority: String?) -> Bool {
        guard let root = RequestTarget("/", host: authority) else { return false }
        let match = match(root, isNavigation: true)
        if case .host? = match?.route { return match?.release.name == name }
        guard let host = root.host else { return true }
        guard !LocalHost.isName(host) else { return false }
        let addresses = routes.addresses
        if addresses.hasRoot, addresses.mounts.contains(where: { $0.name == name }) { return true }
        return isOwn(host) ? !addresses.hasRoot : routes.publishers[host]?.contains(name) == true
    }
}

extension ResourceMatch {
    /// Below this path pages ask about their own bundles, on each host on which those have pages.
    package static let pageCallPrefix = "/.bundles/"

    /// The path of the calls of the bundle's pages that a cookie for ``rootPath`` doesn't reach (RFC 6265 §5.1.4). Nil when
    /// it does, and where a page of another bundle, which is another publisher's, could make the calls too.
    package var pageCallPath: String? {
        rootPath == "/" || sharesHost ? nil : basePath.dropLast() + Self.pageCallPrefix + release.name.string
    }
}
