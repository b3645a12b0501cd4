/// The store's content at one moment. It stays readable whatever happens to the store afterwards.
///
/// Immutable; safe to share between threads.
public struct StoreSnapshot: Sendable {
    /// The bundles by name.
    public let bundles: [BundleName: InstalledBundle]
    /// What the catalog names but can't be read or opened, with the reason.
    public let damage: [StoreDamage]
    /// Changes with every install, activation and removal; increases unless the catalog's counter was damaged.
    public let generation: Int64
    /// Different for each load of a store by this process, even at the same generation: damage may have been found or
    /// repaired.
    package let revision: Int64

    /// The bundles in the order of their names.
    public var sortedBundles: [InstalledBundle] { bundles.values.sorted { $0.name < $1.name } }

    /// Throws when a newer program has written the release or a part of it, so that this one must not replace it.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `newerFormat`.
    func checkIsReplaceable(_ name: BundleName, _ version: BundleVersion) throws(BundleError) {
        let newer = damage.first { $0.isNewer && $0.bundle == name && $0.version?.string == version.string }
        if let newer { throw newer.error }
    }

    /// What is served instead of active releases that can't be opened, one sentence each, in the order of the bundles'
    /// names.
    public var degradations: [String] { sortedBundles.compactMap(\.degradation) }

    /// Every release of every bundle, including those that can't be opened.
    var storedReleases: [Release] { bundles.values.flatMap { $0.releases + $0.damaged } }

    /// Every release of every bundle that can be opened.
    package var releases: [Release] { bundles.values.flatMap(\.releases) }

    /// The digests of all files of all releases.
    package var contentDigests: Set<Digest> {
        releases.reduce(into: []) { digests, release in
            for asset in release.assets { digests.insert(asset.digest) }
        }
    }
}
