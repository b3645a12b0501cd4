import BundleStore

extension ResourceResolver {
    /// Whether pages of a bundle may be on a host: its own, one of its origins', or one where all bundles are served.
    ///
    /// - Parameter authority: Host and port as they were sent; nil when the request names none.
    package func hasPages(of name: BundleName, at authority: String?) -> Bool {
        guard let root = RequestTarget("/", host: authority) else { return false }
        let match = match(root, isNavigation: true)
        if case .host? = match?.route { return match?.release.name == name }
        // A mount at the root has the host, with other mounts.
        if match?.isMounted == true, !routes.addresses.sharesOrigin {
            return routes.addresses.mounts.contains { $0.name == name }
        }
        guard let host = root.host else { return true }
        return !LocalHost.isName(host) && (isOwn(host) || routes.publishers[host]?.contains(name) == true)
    }
}

extension ResourceMatch {
    /// Below this path pages ask about their own bundles, on each host on which those have pages.
    package static let pageCallPrefix = "/.bundles/"

    /// The path of the calls of the bundle's pages that a cookie for ``rootPath`` doesn't reach (RFC 6265 §5.1.4). Nil when
    /// it does, and where a page of another bundle, which is another publisher's, could make the calls too.
    package var pageCallPath: String? {
        rootPath == "/" || sharesHost ? nil : Self.pageCallPrefix + release.name.string
    }
}
