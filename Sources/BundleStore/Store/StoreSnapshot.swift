/// What the store held at one moment. It stays readable whatever happens to the store afterwards.
///
/// Immutable; safe to share between threads.
public struct StoreSnapshot: Sendable {
    /// The bundles by name.
    public let bundles: [BundleName: InstalledBundle]
    /// What the catalog names and can't be read or opened, with the reason.
    public let damage: [StoreDamage]
    /// Another number after every install, activation and removal: a higher one, unless it was damaged in the catalog.
    public let generation: Int64
    /// Different for each time that this process has loaded a store, even when the generation is the same: damage may
    /// have been found, or be gone.
    public let revision: Int64

    /// The bundles in the order of their names.
    public var sortedBundles: [InstalledBundle] { bundles.values.sorted { $0.name < $1.name } }

    /// Throws when a newer program has written a release, or a part of it: it isn't for this one to replace.
    ///
    /// - Throws: ``BundleError`` with code `newerFormat`.
    func checkIsReplaceable(_ name: BundleName, _ version: BundleVersion) throws(BundleError) {
        let newer = damage.first { $0.isNewer && $0.bundle == name && $0.version?.string == version.string }
        if let newer { throw newer.error }
    }

    /// What answers instead of active releases that can't be opened, a sentence each, in the order of the bundles' names.
    public var degradations: [String] { sortedBundles.compactMap(\.degradation) }

    /// Every release of every bundle, also those that can't be opened.
    var storedReleases: [Release] { bundles.values.flatMap { $0.releases + $0.damaged } }

    /// Every release of every bundle that can be opened.
    var releases: [Release] { bundles.values.flatMap(\.releases) }
}
