/// The result of ``FeedFolder``'s publishing.
public struct Publication: Sendable {
    /// The entry in the feed.
    public let entry: FeedEntry
    /// The archive's copy.
    public let archivePath: String
    /// The feed.
    public let feedPath: String
    /// Whether the feed offered this version before, so that only its channels were set.
    public let isRepeated: Bool
}
