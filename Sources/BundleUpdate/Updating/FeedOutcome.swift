import BundleStore

/// What a check or an update of several bundles has come to for one of them. A value; safe to share between threads.
public struct FeedOutcome<Success: Sendable>: Sendable {
    /// The bundle as it was before.
    public let bundle: InstalledBundle
    /// The result, or the error that affects this bundle alone; nil for a bundle without a feed that wasn't named.
    public let result: Result<Success, any Error>?

    /// The bundle's name.
    public var name: BundleName { bundle.name }
}
