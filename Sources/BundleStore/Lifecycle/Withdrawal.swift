import Foundation

/// Why nothing of a release is used any more: what is asked of the active one goes to the network, and pages that are open on
/// a retained one get what the active one has. It ends when the publisher says so; ``Reason/critical`` also when a release
/// below the critical one becomes active. A value type; safe to share between threads.
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
