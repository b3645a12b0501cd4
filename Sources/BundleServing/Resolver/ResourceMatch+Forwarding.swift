import BundleStore

/// What the origin of a bundle is told about the address that a client has asked for.
extension ResourceMatch {
    /// The root of the address that the client has asked for, as an absolute URL; nil when the request names no host.
    ///
    /// - Parameter scheme: The scheme of requests that don't name theirs.
    package func clientAddress(scheme: String) -> String? {
        if let publicURL { return "\(publicURL.scheme.rawValue)://\(publicURL.authority)/" }
        return target.authority.map { "\(target.scheme ?? scheme)://\($0)/" }
    }

    /// What precedes the origin's path in the path that the client has asked for, as if a proxy had removed it: `/shop` when
    /// `/shop/cart` is asked of the origin as `/cart`. Nil when nothing does, when the two paths don't end alike, and when
    /// the manifest doesn't have the origins told.
    ///
    /// - Parameter url: The absolute URL that the origin is asked for.
    package func forwardedPrefix(to url: String) -> String? {
        guard release.manifest.forwardsAddress, let origin = RequestTarget(url: url) else { return nil }
        // Both in ASCII and in one spelling, since a client chooses among the spellings of a path.
        func normalized(_ path: String) -> String { PercentEncoding.normalizing(PercentEncoding.completing(path).utf8) }
        let (path, suffix) = (normalized(basePath + target.path.dropFirst()), normalized(origin.path))
        guard path.hasSuffix(suffix), path.utf8.count > suffix.utf8.count else { return nil }
        return String(path.dropLast(suffix.count))
    }
}
