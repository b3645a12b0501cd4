/// A bundle and the releases of it that the store holds.
public struct InstalledBundle: Sendable {
    /// The bundle's name.
    public let name: BundleName
    /// The release that answers now; nil when none was activated or the active one was removed.
    public let active: Release?
    /// Earlier active releases, the latest first.
    public let retained: [Release]
    /// Every release: the active one, the retained ones, then those never activated.
    public let releases: [Release]

    init(name: BundleName, releases: [Release]) {
        self.name = name
        active = releases.first { $0.state == .active }
        retained = releases.filter { $0.state == .retained }
        self.releases = (active.map { [$0] } ?? []) + retained + releases.filter { $0.state == .installed }
    }

    /// The release whose manifest counts: the active one, or without one the latest.
    public var current: Release? { active ?? releases.first }

    /// Whether its manifest names a feed, so that it can be updated.
    public var hasFeed: Bool { current?.manifest.feed != nil }

    /// The release with this very version, or nil. Versions are told apart as text: `1.0+a` isn't `1.0+b`.
    public func release(_ version: BundleVersion) -> Release? {
        releases.first { $0.version.string == version.string }
    }
}
