import Foundation

/// What the store remembers about a bundle's update checks.
public struct UpdateState: Sendable, Equatable {
    /// After a rollback, the version that was left: the feed must offer a higher one. Nil otherwise.
    public let heldVersion: BundleVersion?
    /// When the feed was last asked; nil when it never was, or when the recorded time lies over five minutes ahead.
    public let checkedAt: Date?
    /// Why the last check or update failed, or nil when it didn't.
    public let lastFailure: String?
}
