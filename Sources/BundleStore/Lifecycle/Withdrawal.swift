import Foundation

/// Why nothing of a bundle's active release is used any more: requests go to the network. It ends when another release
/// becomes active. A value type; safe to share between threads.
public struct Withdrawal: Sendable, Hashable {
    /// Why a release isn't used any more.
    public enum Reason: String, Sendable, Hashable {
        /// Its publisher has revoked it.
        case revoked
        /// A higher version is critical: those before it must not be used.
        case critical
    }

    /// The version that isn't used any more.
    public let version: BundleVersion
    /// Why.
    public let reason: Reason
    /// The critical version; nil for ``Reason/revoked``.
    public let successor: BundleVersion?
    /// Since when it isn't used.
    public let since: Date

    /// Makes a withdrawal.
    package init(of version: BundleVersion, _ reason: Reason, successor: BundleVersion? = nil, since: Date) {
        (self.version, self.reason, self.successor, self.since) = (version, reason, successor, since)
    }
}
