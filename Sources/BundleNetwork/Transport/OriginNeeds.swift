import BundleStore
import Foundation

/// Tells what the URLs of a manifest would need of a server, as far as they say so themselves: names aren't looked up.
public enum OriginNeeds {
    /// One line for each origin, and the feed, that isn't on the internet.
    public static func warnings(_ manifest: BundleManifest) -> [String] {
        let origins = manifest.origins.map { (url: "origin \($0.origin)", host: $0.origin.host) }
        let feed = manifest.feed.flatMap { url in
            (try? HTTPURL(url)).map { (url: "feed \(URL.reported(url))", host: $0.host) }
        }
        return (origins + [feed].compactMap(\.self)).compactMap { url, host in need(of: host).map { "\(url) \($0)" } }
    }

    private static func need(of host: String) -> String? {
        guard let scope = NetworkScope(ofHost: host), scope != .global else { return nil }
        guard OriginAddressPolicy.allowable.contains(scope) else {
            return "has \(scope.phrase), which is never connected to; correct the manifest"
        }
        return
            "has \(scope.phrase); an endpoint that other machines can reach asks it only with --allow-origin-network "
            + scope.rawValue
    }
}
