import BundleServer
import BundleServing
import BundleStore

/// The bundles, the versions that are served, and their addresses, as `serve` prints them.
enum AddressLines {
    /// A line for each bundle that is served; none behind a Unix socket, where the proxy in front determines the host.
    ///
    /// - Parameter endpoint: The endpoint's own URL.
    static func text(_ snapshot: StoreSnapshot, _ addresses: BundleAddresses, at endpoint: String) -> String {
        guard endpoint.hasPrefix("http") else { return "" }
        return snapshot.sortedBundles.compactMap(\.serving).map { release in
            let url = addresses.url(of: release.name, at: endpoint)
            return "\(release.name) \(release.version): \(url ?? missing(release.name))\n"
        }.joined()
    }

    private static func missing(_ name: BundleName) -> String {
        "has no address: --host \(name)=HOST, --mount \(name)=/PATH or --shared-origin gives it one"
    }
}
