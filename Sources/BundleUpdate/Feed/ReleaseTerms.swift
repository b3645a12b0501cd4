import BundleStore

/// To whom a feed offers a release, and what it says about it. A value type; safe to share between threads.
public struct ReleaseTerms: Equatable, Sendable {
    /// The longest notes in bytes of UTF-8.
    package static let maximumNotesByteCount = 4_096

    /// The channels that offer the release; empty for `stable` alone.
    public var channels: [String]
    /// The share of the installations that it is offered to.
    public var rollout: Rollout
    /// Whether the releases before it must not go on being used.
    public var isCritical: Bool
    /// The lowest version of the shell that it runs in; nil for any.
    public var minimumShell: BundleVersion?
    /// What is new in it, in words; at most 4 KiB.
    public var notes: String?
    /// Whether it must not be used any more.
    public var isRevoked: Bool

    /// Offers a release to all installations that follow `channels`.
    public init(
        channels: [String] = [],
        rollout: Rollout = .everyone,
        isCritical: Bool = false,
        minimumShell: BundleVersion? = nil,
        notes: String? = nil,
        isRevoked: Bool = false
    ) {
        self.channels = channels
        self.rollout = rollout
        self.isCritical = isCritical
        self.minimumShell = minimumShell
        self.notes = notes
        self.isRevoked = isRevoked
    }

    /// Whether all installations that follow the channels may have it, whatever their shell.
    package var isForEveryone: Bool { rollout == .everyone && minimumShell == nil }

    /// The channels by name, `stable` too when none is named.
    package var offeringChannels: [String] { channels.isEmpty ? [BundleManifest.defaultChannel] : channels }
}
