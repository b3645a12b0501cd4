import BundleStore

/// The entries of a store and the addresses in the tables. Each function adds its targets to a list, and registers
/// their numbers.
extension RouteTable {
    typealias TargetMaking = (InstalledBundle?, Target.Place) -> Target?

    static func origins(
        of bundles: [InstalledBundle],
        _ targets: inout [Target?],
        _ target: TargetMaking
    ) -> PrefixTable {
        var table = PrefixTable()
        for bundle in bundles {
            for mapping in mappings(of: bundle, among: bundles) {
                let origin = mapping.origin
                table.insert(targets.count, at: origin.components, scheme: origin.scheme, authority: origin.authority)
                targets.append(target(bundle, .origin(mapping)))
            }
        }
        return table
    }

    /// Includes bundles that can't be served, so that no other bundle is served there.
    static func hosts(
        of snapshot: StoreSnapshot,
        _ addresses: BundleAddresses,
        _ targets: inout [Target?],
        _ target: TargetMaking
    ) -> PrefixTable {
        var table = PrefixTable()
        let local = snapshot.sortedBundles.compactMap { bundle in
            LocalHost.name(of: bundle.name).map { (bundle.name, $0) }
        }
        for (name, host) in addresses.hosts.map({ ($0.name, $0.host) }) + local {
            table.insert(targets.count, at: [], scheme: nil, authority: host)
            targets.append(target(snapshot.bundles[name], .host))
        }
        return table
    }

    /// The first target of a path keeps it.
    static func paths(_ places: [([String], Target?)], _ targets: inout [Target?]) -> PrefixTable {
        var table = PrefixTable()
        for (components, target) in places {
            table.insert(targets.count, at: components, scheme: nil, authority: "")
            targets.append(target)
        }
        return table
    }

    static func publishers(among bundles: [InstalledBundle]) -> [String: Set<BundleName>] {
        var publishers: [String: Set<BundleName>] = [:]
        for bundle in bundles {
            for mapping in mappings(of: bundle, among: bundles) {
                publishers[mapping.origin.host, default: []].insert(bundle.name)
            }
        }
        return publishers
    }

    static func claims(in snapshot: StoreSnapshot) -> [String: Set<[String]>]? {
        guard snapshot.damage.isEmpty else { return nil }
        var claims: [String: Set<[String]>] = [:]
        for origin in snapshot.bundles.values.flatMap(\.releases).flatMap(\.manifest.origins).map(\.origin) {
            claims[origin.host, default: []].insert(origin.components)
        }
        return claims
    }

    /// The mappings under which a bundle is served. A release that replaces another doesn't restore those that the
    /// other has given up: another bundle may have the origin now. When the release's origins can't be determined any
    /// more, another bundle takes precedence.
    private static func mappings(of bundle: InstalledBundle, among bundles: [InstalledBundle]) -> [OriginMapping] {
        let mappings = bundle.serving?.manifest.origins ?? []
        guard bundle.standIn != nil else { return mappings }
        if let active = bundle.active ?? bundle.damaged.first(where: { $0.state == .active }) {
            let claimed = Set(active.manifest.origins.map(\.origin))
            return mappings.filter { claimed.contains($0.origin) }
        }
        let others = bundles.filter { $0.name != bundle.name }.compactMap { $0.serving?.manifest }
        return mappings.filter { mapping in
            others.allSatisfy { OriginOverlap.all(of: [mapping.origin], with: $0).isEmpty }
        }
    }

    static func endpointHosts(_ addresses: BundleAddresses) -> PrefixTable {
        var table = PrefixTable()
        for host in addresses.endpointHosts { table.insert(0, at: [], scheme: nil, authority: host) }
        return table
    }
}

extension StoreSnapshot {
    /// Every bundle that is held at all, even damaged; nil when the damage may be any bundle's.
    var heldNames: Set<BundleName>? {
        let damaged = damage.map(\.bundle)
        guard !damaged.contains(nil) else { return nil }
        return Set(bundles.keys).union(damaged.compactMap(\.self))
    }
}
