import BundleStore

/// What the feed offers for a bundle.
public struct UpdateCheck: Sendable {
    /// The bundle.
    public let name: BundleName
    /// The active version, or nil when there is none.
    public let local: BundleVersion?
    /// After a rollback, the version that was rolled back and isn't installed again; nil otherwise.
    public let held: BundleVersion?
    /// The highest version in the channel, or nil when the channel is empty.
    public let highest: BundleVersion?
    /// The release to update to, or nil when the bundle is up to date.
    public let available: FeedRelease?
}
