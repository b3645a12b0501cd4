import BundleStore

/// The cause of the error for a release that was fetched and can't be used. What was fetched has been removed.
///
/// A value type; safe to share between threads.
public struct RefusedRelease: Error, Sendable {
    /// The release, as the feed offered it.
    public let release: FeedRelease
    /// Whether it lies with the archive itself: then the same archive isn't fetched again, see
    /// ``UpdateRejection/failedBefore(reason:)``. Otherwise the next attempt may succeed.
    public let isFinal: Bool
    /// The error underneath, if there was one.
    public let cause: (any Error)?
}

extension BundleError {
    /// The same error, caused by the refusal of a release.
    func refusing(_ release: FeedRelease, isFinal: Bool) -> BundleError {
        BundleError(code, problem, remedy, cause: RefusedRelease(release: release, isFinal: isFinal, cause: cause))
    }
}
