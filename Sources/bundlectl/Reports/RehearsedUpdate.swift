import BundleNetwork
import BundleStore
import BundleUpdate

/// Thrown by `update --dry-run` in place of fetching a release.
struct RehearsedUpdate: Error, CustomStringConvertible {
    let release: FeedRelease

    var description: String { "\(release.version) would be fetched" }
}
