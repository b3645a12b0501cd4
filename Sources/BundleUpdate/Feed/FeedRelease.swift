import BundleStore
import Foundation

/// A release that a feed offers, with everything needed to fetch and to verify it. A value type; safe to share between
/// threads.
public struct FeedRelease: Equatable, Sendable {
    /// The version.
    public let version: BundleVersion
    /// Where the archive is: an absolute `http` or `https` URL without user information or fragment.
    public let source: URL
    /// The archive's size in bytes, 1 or more.
    public let size: Int64
    /// The archive's SHA-256.
    public let digest: Digest
    /// To whom it is offered.
    public let terms: ReleaseTerms
    /// What is said about its files; nil when nothing is.
    package let contents: FeedContents<URL>?
    /// The patches that lead to it.
    package let patches: [FeedPatch<URL>]
    /// Whether the publisher's release key vouches for it.
    package let trust: ReleaseTrust
    /// The host that the feed came from, with the port unless it is the scheme's.
    package let feedAuthority: String

    /// Makes a release. The arguments are taken as they are; ``Feed/parse(_:baseURL:)`` checks them.
    package init(
        version: BundleVersion,
        source: URL,
        size: Int64,
        digest: Digest,
        terms: ReleaseTerms = ReleaseTerms(),
        contents: FeedContents<URL>? = nil,
        patches: [FeedPatch<URL>] = [],
        trust: ReleaseTrust = .notRequired,
        feedAuthority: String = ""
    ) {
        self.version = version
        self.source = source
        self.size = size
        self.digest = digest
        self.terms = terms
        self.contents = contents
        self.patches = patches
        self.trust = trust
        self.feedAuthority = feedAuthority
    }

    /// The archive.
    var archive: FeedFile<URL> { FeedFile(location: source, size: size, digest: digest) }

    /// Whether the release is offered in `channel`. Channels are compared exactly, case included. A pre-release (SemVer
    /// §9) is offered only in the channels that the feed names for it.
    public func isOffered(in channel: String) -> Bool {
        terms.offeringChannels.contains(channel) && !lacksNamedChannel
    }

    /// Whether it is a pre-release for which the feed names no channel.
    var lacksNamedChannel: Bool { version.isPreRelease && terms.channels.isEmpty }
}

/// To whom a feed offers a release, and what it says about it. A value type; safe to share between threads.
public struct ReleaseTerms: Equatable, Sendable {
    /// The longest notes in bytes of UTF-8.
    package static let maximumNotesByteCount = 4_096

    /// The channels that offer the release; empty for `stable` alone.
    public var channels: [String]
    /// The share of the installations that it is offered to.
    public var rollout: Rollout
    /// Since when it is offered to that share, in whole seconds; nil when that is all of them, or the feed doesn't say.
    package var rolloutSince: Date?
    /// The groups of installations that it is offered to at any share, in the channels that offer it.
    public var groups: [String]
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
        groups: [String] = [],
        isCritical: Bool = false,
        minimumShell: BundleVersion? = nil,
        notes: String? = nil,
        isRevoked: Bool = false
    ) {
        self.init(
            channels: channels,
            rollout: rollout,
            rolloutSince: nil,
            groups: groups,
            isCritical: isCritical,
            minimumShell: minimumShell,
            notes: notes,
            isRevoked: isRevoked
        )
    }

    /// The same, with the time since when it is offered to its share.
    package init(
        channels: [String] = [],
        rollout: Rollout,
        rolloutSince: Date?,
        groups: [String] = [],
        isCritical: Bool = false,
        minimumShell: BundleVersion? = nil,
        notes: String? = nil,
        isRevoked: Bool = false
    ) {
        self.channels = channels
        self.rollout = rollout
        self.rolloutSince = rolloutSince
        self.groups = groups
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

/// The share of the installations that a release is offered to. A value type; safe to share between threads.
public struct Rollout: Equatable, Sendable {
    /// All installations.
    public static let everyone = Rollout(unchecked: 100)

    /// In percent, from 0 to 100.
    public let percent: Double

    /// Returns nil unless `percent` is from 0 to 100.
    public init?(percent: Double) {
        guard (0...100).contains(percent) else { return nil }
        self.init(unchecked: percent)
    }

    private init(unchecked percent: Double) {
        // Negative zero would be written as such.
        self.percent = percent + 0
    }

    /// The number without a superfluous fraction.
    var text: String { percent == percent.rounded() ? "\(Int(percent))" : "\(percent)" }
}

extension Rollout: CustomStringConvertible {
    /// Such as `12.5%`.
    public var description: String { "\(text)%" }
}
