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
