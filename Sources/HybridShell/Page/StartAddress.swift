import BundleWebKit
import OfflineBundles

/// Where the window opens a bundle.
enum StartAddress {
    /// The entry page at the bundle's first origin; under the bundle's own scheme when it has none, or that is asked for.
    static func url(of manifest: BundleManifest, usesScheme: Bool) -> String {
        var components = manifest.entry.components
        // `index.html` is what a folder's URL stands for, and what its pages link to.
        if components.last == "index.html" { components[components.count - 1] = "" }
        let path = components.map { PercentEncoding.encode(component: String($0)) }.joined(separator: "/")
        let own = "\(BundleSchemeURL.scheme)://\(manifest.name)/\(path)"
        guard !usesScheme else { return own }
        return BundleSchemeURL(own)?.url(in: manifest.origins) ?? own
    }
}
