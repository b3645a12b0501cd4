import Foundation

/// When something that couldn't be fetched is asked for again by the clock. A value type; safe to share between threads.
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

    /// How many attempts have failed one after the other, 1 or more.
    package let failureCount: Int
    /// When the last one has failed.
    package let failedAt: Date
    /// When it is asked for again.
    package let nextAt: Date
    /// From the one to the other in seconds.
    package var pause: TimeInterval { nextAt.timeIntervalSince(failedAt) }

    package init(failureCount: Int, failedAt: Date, nextAt: Date) {
        self.failureCount = failureCount
        self.failedAt = failedAt
        self.nextAt = nextAt
    }
}
