import OfflineBundles

/// The hosts that requests for the bundles of a store lead to.
struct LinkTargets: Equatable, Sendable {
    /// Names, and addresses without brackets.
    private(set) var hosts: Set<String> = []

    /// The origins, and the hosts that network rules connect to in their place; rewritten URLs lie below the origins too.
    init(_ manifests: some Sequence<BundleManifest>) {
        for manifest in manifests {
            hosts.formUnion(manifest.origins.map(\.origin.host.withoutBrackets))
            hosts.formUnion(manifest.network.rules.compactMap { $0.connectTo?.host.withoutBrackets })
        }
    }
}

extension String {
    /// The host of a URL as an address or a name.
    var withoutBrackets: String { hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self }
}
