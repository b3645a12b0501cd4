import Foundation

/// Where a bundle's releases are between installation and use. A value type; safe to share between threads.
public struct BundleLifecycle: Sendable, Hashable {
    /// The release that becomes active later; nil when there is none.
    public var pending: PendingActivation?
    /// What is known of the active release while it has yet to be confirmed; nil when it needn't be.
    public var probation: Probation?
    /// Why releases aren't used, by version.
    package var withdrawals: [String: Withdrawal] = [:]
    /// The versions that asked for a confirmation and haven't got it.
    package var unconfirmed: Set<String> = []
    /// The versions that no rollback leads to.
    package var left: Set<String> = []
    /// The versions that were shipped with an app.
    package var seeds: Set<String> = []
    /// By which root releases are vouched for, by version; see ``InstalledBundle/signature(of:)``.
    var signatures: [String: ReleaseSignature] = [:]
}

/// By which root an installed release is vouched for. A value type; safe to share between threads.
package struct ReleaseSignature: Sendable, Hashable {
    /// SHA-256 of the root that the trust began with.
    package let root: Digest
    /// What identifies the release keys that vouched for it last.
    package let keys: Digest
    /// ``Release/contentDigest`` of the release that is meant.
    let contentDigest: Digest
}

/// A release that is installed, and becomes active later. A value type; safe to share between threads.
public struct PendingActivation: Sendable, Hashable {
    /// The version.
    public let version: BundleVersion
    /// When it becomes active; never ``ActivationMode/now``.
    public let mode: ActivationMode
    /// Since when it waits for that.
    public let since: Date
}

/// When a release that an update has installed becomes active. A value type; safe to share between threads.
public enum ActivationMode: String, Sendable, Hashable, CaseIterable, Encodable {
    /// At once, as the end of the update.
    case now
    /// When a server or an app starts with the store next.
    case nextStart = "next-start"
    /// When nobody has asked for anything of the bundle for a while, or at the next start, whichever is first.
    case whenIdle = "when-idle"
}

/// What is known of an active release that somebody has yet to confirm. A value type; safe to share between threads.
public struct Probation: Sendable, Hashable {
    /// The version.
    public let version: BundleVersion
    /// What pages of the release get, and confirm it with: 32 hexadecimal digits.
    package let nonce: String
    /// In how many runs of a server or an app a page of it was loaded.
    public let startCount: Int
    /// When a page of it was loaded first; nil when none was.
    public let loadedAt: Date?
    /// How much time has passed since then in processes that have ended, and in those that run up to their last note of it.
    package let observed: Duration
}

/// Why nothing of a release is used any more: what is asked of the active one goes to the network, and pages that are open on
/// a retained one get what the active one has. It ends when the publisher says so; ``Reason/critical`` also when a release
/// below the critical one becomes active. A value type; safe to share between threads.
public struct Withdrawal: Sendable, Hashable {
    /// Why a release isn't used any more.
    public enum Reason: String, Sendable, Hashable, Encodable {
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

extension Withdrawal {
    func says(sameAs other: Withdrawal?) -> Bool {
        version.string == other?.version.string && reason == other?.reason
            && successor?.string == other?.successor?.string
    }
}
