import BundleModel
import Foundation

/// What a server needs to allow for the URLs of a manifest, judged by the URLs alone: names aren't looked up.
package enum OriginNeeds {
    /// One for each origin, and for the feed, that isn't on the internet.
    package static func warnings(_ manifest: BundleManifest) -> [Notice] {
        let origins = manifest.origins.map { (url: "origin \($0.origin)", host: $0.origin.host) }
        let feed = manifest.feed.flatMap { url in
            (try? HTTPURL(url)).map { (url: "feed \(URL.reported(url))", host: $0.host) }
        }
        return (origins + [feed].compactMap(\.self)).compactMap { url, host in
            need(of: host).map { Notice("\(url) \($0.problem)", $0.remedy) }
        }
    }

    private static func need(of host: String) -> Notice? {
        guard let scope = NetworkScope(ofHost: host), scope != .global else { return nil }
        guard OriginAddressPolicy.allowable.contains(scope) else {
            return Notice("has \(scope.phrase), which is never connected to; correct the manifest")
        }
        return Notice(
            "has \(scope.phrase), which an endpoint that other machines can reach doesn't connect to",
            .allowOriginNetwork(scope.rawValue)
        )
    }
}
