import BundleServing
import BundleStore

/// Which deltas clients may request next (RFC 9842): a client that has loaded a page of the version before has its
/// files, and requests those of the active one. Pure.
enum DeltaPlan {
    /// Each file of an active release with the file of the release before it whose name differs only in the hash. If
    /// there are several, it isn't known which one a client uses: then it is determined at the client's request.
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
