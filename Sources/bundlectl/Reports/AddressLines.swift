import BundleServer
import BundleServing
import BundleStore

/// The bundles, the versions that are served, and their addresses, as `serve` prints them.
enum AddressLines {
    /// A line for each bundle that is served, with its public address if it has one; none behind a Unix socket without a
    /// public URL, where the proxy in front determines the host.
    ///
    /// - Parameter endpoint: The endpoint's own URL.
    static func text(_ snapshot: StoreSnapshot, _ addresses: BundleAddresses, at endpoint: String) -> String {
        let isReachable = endpoint.hasPrefix("http")
        guard isReachable || !addresses.publicURLs.isEmpty else { return "" }
        return snapshot.sortedBundles.compactMap(\.serving).map { release in
            let url =
                publicAddress(of: release.name, addresses)
                ?? (isReachable ? addresses.url(of: release.name, at: endpoint) : nil)
            return "\(release.name) \(release.version): \(url ?? missing(release.name))\n"
        }.joined()
    }

    /// The address below a public URL; nil for a bundle that has none there.
    private static func publicAddress(of name: BundleName, _ addresses: BundleAddresses) -> String? {
        addresses.publicURLs.lazy.map(\.description).compactMap { root in
            addresses.url(of: name, at: root).flatMap { $0.hasPrefix(root) ? $0 : nil }
        }.first
    }

    private static func missing(_ name: BundleName) -> String {
        "has no address: --host \(name)=HOST, --mount \(name)=/PATH or --shared-origin gives it one"
    }
}
