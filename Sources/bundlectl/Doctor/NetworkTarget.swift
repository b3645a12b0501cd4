import BundleStore
import Foundation

/// What a bundle asks over the network: a feed, or an origin.
struct NetworkTarget: Hashable, Sendable {
    /// How many are asked; of the others the number is told.
    static let maximumCount = 64

    /// What the address is of.
    enum Kind: String, Sendable {
        case feed, origin
    }

    let kind: Kind
    let url: URL

    /// The bundles' feeds and origins, each once, in the order of the bundles' names. Pure.
    ///
    /// - Parameter chosen: The feed that a bundle follows in place of its manifest's.
    static func all(of snapshot: StoreSnapshot, chosen: (BundleName) -> String?) -> [NetworkTarget] {
        var seen = Set<NetworkTarget>()
        return snapshot.sortedBundles.flatMap { bundle in
            let manifest = bundle.current?.manifest
            let feed = (chosen(bundle.name) ?? manifest?.feed).flatMap(URL.init(string:)).map { [$0] } ?? []
            // Each host once: its mappings differ in paths.
            let origins = (manifest?.origins ?? []).compactMap {
                URL(string: "\($0.origin.scheme.rawValue)://\($0.origin.authority)/")
            }
            return feed.map { NetworkTarget(kind: .feed, url: $0) }
                + origins.map { NetworkTarget(kind: .origin, url: $0) }
        }
        .filter { seen.insert($0).inserted }
    }
}
