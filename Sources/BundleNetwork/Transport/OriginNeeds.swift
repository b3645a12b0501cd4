import BundleStore
import Foundation

/// What a server needs to allow for the URLs of a manifest, judged by the URLs alone: names aren't looked up.
public enum OriginNeeds {
    /// One line for each origin, and for the feed, that isn't on the internet.
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
            "has \(scope.phrase); an endpoint that other machines can reach needs --allow-origin-network "
            + "\(scope.rawValue) to connect to it"
    }
}
