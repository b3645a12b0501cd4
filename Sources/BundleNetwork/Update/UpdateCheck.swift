import BundleStore

/// What the feed offers for a bundle. A value type; safe to share between threads.
public struct UpdateCheck: Sendable {
    /// The bundle.
    public let name: BundleName
    /// The active version, or nil when there is none.
    public let local: BundleVersion?
    /// After a rollback, or the activation of a lower version, the highest version that was left and isn't installed
    /// again; nil otherwise.
    public let held: BundleVersion?
    /// Whether updates leave the bundle as it is.
    public let isOnHold: Bool
    /// Each release that the feed offers, and why it isn't chosen.
    public let decision: UpdateDecision

    /// Why nothing of the active release may be used any more; nil when it may.
    package var withdrawal: Withdrawal? { local.flatMap(decision.withdrawal) }

    /// The highest version in the channel, or nil when the channel is empty.
    public var highest: BundleVersion? { decision.highest }
    /// The release to update to, or nil when there is none.
    public var available: FeedRelease? { decision.choice }
}
