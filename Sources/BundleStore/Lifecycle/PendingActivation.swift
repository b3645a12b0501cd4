import Foundation

/// A release that is installed, and becomes active later. A value type; safe to share between threads.
public struct PendingActivation: Sendable, Hashable {
    /// The version.
    public let version: BundleVersion
    /// When it becomes active; never ``ActivationMode/now``.
    public let mode: ActivationMode
    /// Since when it waits for that.
    public let since: Date
}
