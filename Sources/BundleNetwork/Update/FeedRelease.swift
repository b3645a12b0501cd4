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
    /// The channels that it is offered in; empty for every channel.
    public let channels: [String]

    /// Makes a release. The arguments are taken as they are; ``Feed/parse(_:baseURL:)`` checks them.
    package init(version: BundleVersion, source: URL, size: Int64, digest: Digest, channels: [String] = []) {
        self.version = version
        self.source = source
        self.size = size
        self.digest = digest
        self.channels = channels
    }

    /// Whether the release is offered in `channel`. Channels are compared exactly, case included.
    public func isOffered(in channel: String) -> Bool {
        channels.isEmpty || channels.contains(channel)
    }
}
