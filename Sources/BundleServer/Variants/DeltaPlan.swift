import BundleServing
import BundleStore

/// Which differences clients may ask for next (RFC 9842): whoever has loaded a page of the version before has its files, and
/// asks for those of the active one. Pure.
enum DeltaPlan {
    /// Each file of an active release with the file of the release before it that has the same name but for the hash. Where
    /// several have, nobody knows which one a client takes: then it is found out when it asks.
    static func pairs(in snapshot: StoreSnapshot) -> [(asset: Asset, dictionary: Asset)] {
        snapshot.sortedBundles.flatMap { bundle -> [(Asset, Asset)] in
            guard let active = bundle.active, let earlier = bundle.retained.first else { return [] }
            let dictionaries = Dictionary(grouping: earlier.assets.filter { $0.versionPattern != nil }) {
                $0.versionPattern
            }
            return active.assets.compactMap { asset in
                guard let pattern = asset.versionPattern, let found = dictionaries[pattern], found.count == 1,
                    let dictionary = found.first, dictionary.path != asset.path
                else { return nil }
                return (asset, dictionary)
            }
        }
    }
}
