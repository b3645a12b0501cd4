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
        feedAuthority: String = ""
    ) {
        self.version = version
        self.source = source
        self.size = size
        self.digest = digest
        self.terms = terms
        self.contents = contents
        self.patches = patches
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
