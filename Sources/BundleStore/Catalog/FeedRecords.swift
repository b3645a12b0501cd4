import Foundation

/// A feed as it was last received, and what tells its server which one that was. A value type; safe to share between threads.
package struct FeedCopy: Equatable, Sendable {
    /// The URL that served it, after redirects: its validators mean nothing to another one.
    package let location: Digest
    /// The field value of its ETag; nil when it has none.
    package let entityTag: String?
    /// The field value of its Last-Modified; nil when it has none that can be relied on.
    package let lastModified: String?
    /// The feed.
    package let content: [UInt8]

    /// - Parameter location: The URL that served it.
    package init(location: String, entityTag: String?, lastModified: String?, content: [UInt8]) {
        self.init(
            location: Digest(of: Array(location.utf8)),
            entityTag: entityTag,
            lastModified: lastModified,
            content: content
        )
    }

    init(location: Digest, entityTag: String?, lastModified: String?, content: [UInt8]) {
        self.location = location
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.content = content
    }

    /// Whether it came from this URL.
    package func isFrom(_ location: String) -> Bool { self.location == Digest(of: Array(location.utf8)) }
}

/// When something is asked for again by the clock that couldn't be fetched, or that its publisher wants asked for less often. A value type; safe to share between threads.
package struct FetchRetry: Equatable, Sendable {
    /// What was asked for.
    package enum Subject: Hashable, Sendable {
        /// The bundle's feed, by its URL.
        case feed(String)
        /// A release that the feed offers, by the digest of its archive, whatever was fetched of it.
        case release(Digest)

        /// What the catalog knows it by. No URL is a digest's 64 digits.
        var digest: Digest {
            switch self {
            case .feed(let url): Digest(of: Array(url.utf8))
            case .release(let archive): Digest(of: Array(archive.hex.utf8))
            }
        }
    }

    /// How many attempts have failed one after the other; 0 for a feed that was received, and whose publisher asks for a pause.
    package let failureCount: Int
    /// When the last one has failed, or when the feed was received.
    package let failedAt: Date
    /// When it is asked for again.
    package let nextAt: Date
    /// Whether the last attempt has failed.
    package var hasFailed: Bool { failureCount > 0 }
    /// From the one to the other in seconds.
    package var pause: TimeInterval { nextAt.timeIntervalSince(failedAt) }

    package init(failureCount: Int, failedAt: Date, nextAt: Date) {
        self.failureCount = failureCount
        self.failedAt = failedAt
        self.nextAt = nextAt
    }
}

/// The feed that a bundle follows by the operator's choice, in place of the one that its manifest names. A value type; safe to
/// share between threads.
public struct ChosenFeed: Equatable, Sendable {
    /// The feed's URL.
    public let url: String
    /// The channel; nil for the one that the manifest names.
    public let channel: String?

    /// Takes the values as they are.
    package init(url: String, channel: String?) {
        self.url = url
        self.channel = channel
    }
}

/// A release whose archive was fetched whole and can't be used. A value type; safe to share between threads.
package struct FailedRelease: Equatable, Sendable {
    /// The version that the feed gave it.
    package let version: BundleVersion
    /// The archive's SHA-256.
    package let digest: Digest
    /// Why it can't be used.
    package let reason: String
    /// When that was found.
    package let date: Date

    package init(version: BundleVersion, digest: Digest, reason: String, date: Date) {
        self.version = version
        self.digest = digest
        self.reason = reason
        self.date = date
    }
}
