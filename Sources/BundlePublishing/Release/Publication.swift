import BundleUpdate

/// The result of ``FeedFolder``'s publishing. A value type; safe to share between threads.
package struct Publication: Sendable {
    /// The entry in the feed.
    package let entry: FeedEntry
    /// The archive's copy.
    package let archivePath: String
    /// Whether the feed offered this version before, so that only its terms were set.
    package let isRepeated: Bool
    /// Which files couldn't be made, and why.
    package let warnings: [String]
    /// The earlier releases from which no patch leads to this one, though they are among those that patches are made from.
    package let unpatched: [UnpatchedBase]
    /// What has changed in the feed.
    package let report: FeedChangeReport
}
