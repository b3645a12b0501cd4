import Foundation

/// The state of a bundle's update checks.
public struct UpdateState: Sendable, Equatable {
    /// After a rollback, the version that was left: the feed must offer a higher one. Nil otherwise.
    public let heldVersion: BundleVersion?
    /// When the feed was last requested; nil when it never was, or when the recorded time is more than five minutes in
    /// the future.
    public let checkedAt: Date?
    /// Why the last check or update failed, or nil when it succeeded.
    public let lastFailure: String?
}
