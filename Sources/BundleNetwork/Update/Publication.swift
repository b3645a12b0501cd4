/// The result of ``FeedFolder``'s publishing.
package struct Publication: Sendable {
    /// The entry in the feed.
    package let entry: FeedEntry
    /// The archive's copy.
    package let archivePath: String
    /// The feed.
    package let feedPath: String
    /// Whether the feed offered this version before, so that only its channels were set.
    package let isRepeated: Bool
}
