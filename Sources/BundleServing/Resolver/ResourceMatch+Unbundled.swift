import BundleStore

/// URLs that no bundle covers, in an app that loads them too.
extension ResourceMatch {
    /// The match of an absolute URL that no bundle covers.
    ///
    /// - Parameter target: With a scheme; nil is returned for others.
    package init?(unbundled target: RequestTarget, by resolver: ResourceResolver) {
        guard target.scheme != nil, target.authority != nil else { return nil }
        let covering = RouteTable.Covering(target: .unbundled, prefix: (0, 0))
        self.init(target: target, covering: covering, in: resolver.routes, finding: .nothing)
    }

    /// Whether no bundle covers the URL.
    package var isUnbundled: Bool { release.isUnbundled }

    /// The URL as it was asked for: no bundle says what it may be.
    var unbundledURL: String {
        "\(target.scheme ?? "")://\(target.authority ?? "")" + PercentEncoding.completing(target.path + target.query)
    }

    /// The components of a path that no file could have.
    var looseComponents: [String] {
        target.path.split(separator: "/").map { PercentEncoding.decode($0.utf8) ?? String($0) }
    }
}
