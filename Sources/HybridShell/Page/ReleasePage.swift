import BundleWebKit
import OfflineBundles

/// Whether what a window shows is a page of a release. Pure.
enum ReleasePage {
    /// A page of the bundle that it doesn't have, one of another origin, and the offline page say nothing of the release.
    ///
    /// - Parameters:
    ///   - url: The page's, after redirects.
    ///   - status: The status of its response.
    ///   - version: The version that has to be active.
    static func isShown(
        _ url: String,
        status: Int,
        of name: BundleName,
        _ version: BundleVersion,
        in snapshot: StoreSnapshot
    ) -> Bool {
        guard status == 200, let release = snapshot.bundles[name]?.active, release.version.string == version.string,
            let target = address(of: url, release).flatMap(RequestTarget.init(url:)),
            let match = ResourceResolver(snapshot).match(target, isNavigation: true), match.release.name == name,
            case .found = match.outcome
        else { return false }
        return true
    }

    /// The URL at the bundle's origin; nil for another bundle's.
    private static func address(of url: String, _ release: Release) -> String? {
        guard let own = BundleSchemeURL(url) else { return url }
        return own.name == release.name ? own.url(in: release.manifest.origins) : nil
    }
}
