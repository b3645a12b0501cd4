import BundleStore

/// The decision of ``UpdatePolicy``.
package enum UpdateDecision: Equatable, Sendable {
    /// Nothing to do. `highest` is the highest version that the channel offers, nil when it offers none.
    case upToDate(highest: BundleVersion?)
    /// The release to install.
    case update(FeedRelease)
}
