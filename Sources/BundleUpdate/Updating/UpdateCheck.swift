import BundleStore
import Foundation
import HTTPCore

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
    /// The URL at which the feed was asked for.
    let feed: String
    /// Each release that the feed offers, and why it isn't chosen.
    public let decision: UpdateDecision

    /// Why nothing of the active release may be used any more; nil when it may.
    package var withdrawal: Withdrawal? { local.flatMap(decision.withdrawal) }

    /// Whether the publisher has revoked the active release, and the feed offers nothing in its place.
    public var isRevoked: Bool { decision.revokedActive != nil && decision.feedRejection == nil && available == nil }

    /// What the operator has to know: the feed can't be used, or the active release mustn't be. Nil otherwise.
    ///
    /// Its code is `invalidFeed`.
    public var problem: BundleError? {
        if let rejection = decision.feedRejection {
            let url = URL.reported(feed)
            return BundleError(.invalidFeed, "\(url): \(rejection); nothing of it is used", .acceptOlderFeed)
        }
        guard isRevoked, let local else { return nil }
        return BundleError(
            .invalidFeed,
            "\(name)@\(local) is revoked by its publisher, and the feed offers nothing in its place; it isn't used any more: "
                + "install another release, or remove the bundle"
        )
    }

    /// The highest version in the channel, or nil when the channel is empty.
    public var highest: BundleVersion? { decision.highest }
    /// The release to update to, or nil when there is none.
    public var available: FeedRelease? { decision.choice }
}
