import BundleServer
import BundleServing
import BundleStore

/// The bundles' addresses, as `serve` prints them.
enum AddressLines {
    /// A line for each bundle that is served; none behind a Unix socket, where the proxy in front determines the host.
    ///
    /// - Parameter endpoint: The endpoint's own URL.
    static func text(_ snapshot: StoreSnapshot, _ addresses: BundleAddresses, at endpoint: String) -> String {
        guard endpoint.hasPrefix("http") else { return "" }
        return snapshot.sortedBundles.filter { $0.answering != nil }.map { bundle in
            let url = addresses.url(of: bundle.name, at: endpoint)
            return "\(bundle.name): \(url ?? missing(bundle.name))\n"
        }.joined()
    }

    private static func missing(_ name: BundleName) -> String {
        "has no address: --host \(name)=HOST, --mount \(name)=/PATH or --shared-origin gives it one"
    }
}
