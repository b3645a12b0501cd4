import BundleNetwork
import BundleServer
import HTTPCore

extension ListenAddress {
    /// The host at which other machines can connect; nil when only this one can, or when that isn't known.
    var reachableHost: String? {
        guard case .tcp(let host, _) = self, NetworkScope(ofHost: host) != .loopback else { return nil }
        return host
    }
}
