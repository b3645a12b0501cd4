import Foundation

/// The state of a bundle's update checks.
public struct UpdateState: Sendable, Equatable {
    /// After a rollback or the activation of a lower version, the highest version that was left: updates install only
    /// higher ones. Nil otherwise.
    public let heldVersion: BundleVersion?
    /// Whether updates leave the bundle as it is; see ``BundleStore/setHold(_:_:waits:)``.
    public let isOnHold: Bool
    /// The feed that the operator has chosen; nil for the one that the manifest names.
    public let chosenFeed: ChosenFeed?
    /// When the feed was last requested, or first in a day of requests with the same outcome; nil when it never was, or
    /// when the recorded time is more than five minutes in the future.
    public let checkedAt: Date?
    /// Why the last check or update failed, or why it found a release that can't be used; nil otherwise.
    public let lastFailure: String?
}
