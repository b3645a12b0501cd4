/// What is remembered of the bundles' feeds.
extension BundleStore {
    /// The highest sequence number that a bundle's feed has had; nil when none was seen.
    ///
    /// - Parameter feed: The feed's URL.
    package func highestSequence(of name: BundleName, feed: String) throws -> Int64? {
        try StoreAccess.run(at: path) {
            try catalog.feeds.highestSequence(of: name, feed: Digest(of: Array(feed.utf8)))
        }
    }

    /// Records the sequence number of a feed, unless a higher one is recorded.
    ///
    /// - Parameters:
    ///   - sequence: The number, 1 or more.
    ///   - feed: The feed's URL.
    package func recordSequence(_ sequence: Int64, of name: BundleName, feed: String) throws {
        try StoreAccess.run(at: path) {
            try catalog.feeds.recordSequence(sequence, of: name, feed: Digest(of: Array(feed.utf8)), at: now())
        }
    }

    /// Forgets the sequence numbers of a feed, so that any is accepted next.
    ///
    /// - Parameter feed: The feed's URL.
    package func forgetSequence(of name: BundleName, feed: String) throws {
        try StoreAccess.run(at: path) { try catalog.feeds.forgetSequence(of: name, feed: Digest(of: Array(feed.utf8))) }
    }

    /// The archives of a bundle that were fetched and can't be used: the latest 32, oldest first.
    package func failedReleases(of name: BundleName) throws -> [FailedRelease] {
        try StoreAccess.run(at: path) { try catalog.feeds.failedReleases(of: name) }
    }

    /// Records an archive that was fetched and can't be used.
    ///
    /// - Parameter reason: Why it can't be used.
    package func recordFailure(of name: BundleName, _ version: BundleVersion, _ digest: Digest, reason: String) throws {
        let failure = FailedRelease(version: version, digest: digest, reason: reason, date: now())
        try StoreAccess.run(at: path) { try catalog.feeds.recordFailure(failure, of: name) }
    }

    /// Forgets the failed archives of a bundle, so that they are fetched again.
    package func forgetFailures(of name: BundleName) throws {
        try StoreAccess.run(at: path) { try catalog.feeds.forgetFailures(of: name) }
    }

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

    /// Makes a bundle follow a feed in place of the one that its manifest names; nil removes that feed.
    package func choose(_ feed: ChosenFeed?, for name: BundleName) throws {
        guard try updateState(of: name)?.chosenFeed != feed else { return }
        try StoreAccess.run(at: path) { try catalog.feeds.choose(feed, for: name) }
    }

    /// When something of a bundle is asked for again by the clock; nil when nothing waits for that, or the clock was set
    /// back since.
    package func retry(of name: BundleName, _ subject: FetchRetry.Subject) throws -> FetchRetry? {
        try StoreAccess.run(at: path) { try catalog.feeds.retry(of: name, subject.digest, now: now()) }
    }

    /// Records when something of a bundle is asked for again by the clock, in place of what was recorded before; nil for no pause.
    package func record(_ retry: FetchRetry?, of name: BundleName, _ subject: FetchRetry.Subject) throws {
        try StoreAccess.run(at: path) { try catalog.feeds.record(retry, of: name, subject.digest) }
    }
}
