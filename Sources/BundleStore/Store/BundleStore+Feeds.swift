import Foundation

/// What is remembered of the bundles' feeds.
extension BundleStore {
    /// The feed of a bundle as it was last received; nil when there is none, or it isn't as it was stored.
    ///
    /// - Parameter feed: The URL at which it was asked for.
    package func feedCopy(of name: BundleName, feed: String) throws -> FeedCopy? {
        try StoreAccess.run(at: path) { try catalog.feeds.feedCopy(of: name, feed: Digest(of: Array(feed.utf8))) }
    }

    /// Keeps the feed of a bundle in place of an earlier one; nil keeps none.
    ///
    /// - Parameter feed: The URL at which it was asked for.
    package func keep(_ copy: FeedCopy?, of name: BundleName, feed: String) throws {
        try StoreAccess.run(at: path) { try catalog.feeds.keep(copy, of: name, feed: Digest(of: Array(feed.utf8))) }
    }

    /// Makes a bundle follow a feed in place of the one that its manifest names; nil ends that.
    package func choose(_ feed: ChosenFeed?, for name: BundleName) throws {
        guard try updateState(of: name)?.chosenFeed != feed else { return }
        try StoreAccess.run(at: path) { try catalog.feeds.choose(feed, for: name) }
    }

    /// When something of a bundle is asked for again by the clock; nil when it wasn't what failed last, or the clock was set
    /// back since.
    package func retry(of name: BundleName, _ subject: FetchRetry.Subject) throws -> FetchRetry? {
        try StoreAccess.run(at: path) { try catalog.feeds.retry(of: name, subject.digest, now: now()) }
    }

    /// Records that something of a bundle couldn't be fetched, in place of what failed before; nil that it could.
    package func record(_ retry: FetchRetry?, of name: BundleName, _ subject: FetchRetry.Subject) throws {
        try StoreAccess.run(at: path) { try catalog.feeds.record(retry, of: name, subject.digest) }
    }
}
