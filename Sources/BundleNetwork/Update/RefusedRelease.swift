import BundleStore

/// The cause of the error for a release whose archive was fetched and can't be used. What was fetched has been removed:
/// the next attempt fetches it again.
///
/// A value type; safe to share between threads.
public struct RefusedRelease: Error, Sendable {
    /// The release, as the feed offered it.
    public let release: FeedRelease
    /// The error underneath, if there was one.
    public let cause: (any Error)?
}

extension BundleError {
    /// The same error, caused by the refusal of a release.
    func refusing(_ release: FeedRelease) -> BundleError {
        BundleError(code, message, cause: RefusedRelease(release: release, cause: cause))
    }
}
